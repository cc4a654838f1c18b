import scipy.io

mat = scipy.io.loadmat("tank.mat", chars_as_strings=False)
names = ["".join(letters).rstrip("\0 ") for letters in mat["name"].T]
h = mat["data_2"][names.index("h")]

print(names)
print(len(h), "moments, from", h[0], "m to", h[-1], "m")
