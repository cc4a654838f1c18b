import json, subprocess

for k in (0.15, 0.20, 0.25):
    run = subprocess.run(["brink", "run", "cell.hsml", "--json", "--set", f"tank.k={k}"],
                         capture_output=True, check=True)
    summary = json.loads(run.stdout)
    dry = [e["t"] for e in summary["events"] if e["flag"] == "tank.empty"]
    print(f"k = {k:.2f}: dry at", ", ".join(f"{t:.4f}" for t in dry))
