load tank.mat
h = data_2(dataInfo(2, strcmp(deblank(cellstr(name')), 'h')), :);

fprintf('%d moments, from %g m to %g m\n', numel(h), h(1), h(end));
