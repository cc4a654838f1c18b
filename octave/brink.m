function result = brink(model, varargin)
%BRINK  Simulate a hybrid system that is written in HSML.
%
%   r = brink(MODEL)
%   r = brink(MODEL, KNOBS)
%   r = brink(MODEL, KNOBS, 'option', value, ...)
%   r = brink(MODEL, 'option', value, ...)
%
%   MODEL is the name of a file, or the text of a model: a text has more than one line.
%
%   KNOBS is a struct of parameters, initial values and inputs that are set before the run. Parts of a
%   model are structs inside it: knobs.plant.area = 2.5 sets 'plant.area'. A value is a number, true or
%   false, a text, a vector or a matrix; of an array of components, a vector has one value for each.
%   A containers.Map has names as its keys, and so it can also set single elements:
%
%       knobs = containers.Map();
%       knobs('car[3].x') = 0.5;
%
%   A text is passed on as it is: a word of a mode, or an expression such as '1/6'.
%
%   OPTIONS are those of the program, 'brink run --help' explains them. Hyphens are underscores here:
%
%       until from method events rtol atol tolerance order step hmin hmax gain gamma termination parts
%       near_miss range zeno clocks threads every keep report seed top import_path library_path
%       allow_external interpret native audit
%
%   Numbers are passed on with all their digits. 'keep' takes a text or a cell array of names;
%   'import_path' and 'library_path' a directory or a cell array of them; the last four true or false.
%   Four more are not the program's:
%
%       inputs   a struct with the column 'time' and one for each input of the model: vectors of the same
%                length, a matrix for a vector of inputs (one row for each time), cell arrays of words
%       hold     true: inputs hold their values until the next time; else signals are linear between times
%       states   true: events have the states and modes before and after them (false: it takes time)
%       check    false: a run that fails is no error, and r has what was computed (true)
%
%   r is a struct of arrays. One row is one step, one sample, or one point of the grid of 'every'; at an
%   event there are rows of the same time before and after it.
%
%       r.t            times, a column
%       r.plant.h      quantities by their names, columns too. 'car[3].x' is r.car.x(:,3), the derivative
%                      'plant.h''' is r.plant.der_h. Elements that were not recorded are NaN. Booleans are
%                      logical. Modes and other words are numbers, from 0: see r.labels
%       r.labels       their words: r.labels.plant.phase{1 + r.plant.phase(k)}
%       r.units        units, where the model has them
%       r.names        the program's names of all quantities
%       r.table        all of them: one column for each of r.names, one row for each of r.t
%       r.events       a struct array: t, flag, direction, condition (NaN: none), note (what note(...) noted),
%                      generated (true: the compiler made the flag, such as a corner of abs) and its text,
%                      agents (of a pair); with 'states' also before and after (structs) and changed (names)
%       r.final        the last values, words as words
%       r.parameters   what holds still during a run
%       r.status       'finished', 'stopped' by the model, or 'failed'; then r.reason and r.message say why
%       r.warnings     a cell array of texts
%       r.stats        steps, evaluations, seconds
%       r.summary      the rest of the program's summary: model, method, rtol, atol, seed, ...
%
%   A name that is taken has an underscore behind it: a state 't' is r.t_.
%
%   Errors have the program's message, with the line of the model and a caret. Identifiers are
%   'brink:model' (errors of the model), 'brink:simulation' (the run fails; the model calls fail or leaves a
%   range), 'brink:argument', 'brink:file', 'brink:interrupted', 'brink:program' (it was not found, or
%   broke). Warnings of the program are warnings 'brink:warning'.
%
%   The program is the value of the environment variable BRINK; else the one that belongs to this file, in
%   a source tree or where both were installed; else brink in PATH.
%
%   Example
%       r = brink('tank.hsml', struct('k', 0.3), 'until', 10, 'rtol', 1e-9);
%       plot(r.t, r.h)
%       [r.events.t]

  if ispc()
    fail('program', 'brink.m starts the program by /bin/sh, which this system does not have');
  end
  [knobs, options] = sort_arguments(varargin);
  scratch = tempname();
  make_directory(scratch);
  cleaner = onCleanup(@() remove_directory(scratch));

  summary = {'--json', '--json-states'};
  words = [{'run', summary{1 + options.states}, '--out', fullfile(scratch, 'run.mat')}, ...
           option_words(options, scratch), knob_words(knobs)];
  [source, standard_input] = model_words(model, scratch);
  [code, json, messages] = run_program([words, source], standard_input, scratch);
  json = strrep(json, [scratch, filesep()], '');
  messages = strrep(messages, [scratch, filesep()], '');
  check_outcome(code, json, messages, options.check);
  result = read_results(fullfile(scratch, 'run.mat'), json, options.states);
end

% ---- arguments ---------------------------------------------------------------------------------------------

% What the caller gave, as knobs and a struct of options. Options of the program are in options.given: names
% and values in turn.
function [knobs, options] = sort_arguments(arguments)
  knobs = struct();
  if ~isempty(arguments) && ~is_text(arguments{1})
    knobs = arguments{1};
    arguments = arguments(2:end);
  end
  if mod(numel(arguments), 2) ~= 0
    fail('argument', 'options are names and values in turn; the last one has no value');
  end
  options = struct('inputs', [], 'hold', false, 'states', false, 'check', true, 'given', {{}});
  for k = 1:2:numel(arguments)
    if ~is_text(arguments{k})
      fail('argument', 'options are names and values in turn: the name of the %s is no text', ...
           sprintf('%d. option', (k + 1) / 2));
    end
    name = lower(strrep(char(arguments{k}), '-', '_'));
    value = plain(arguments{k + 1});
    switch name
      case 'inputs'
        options.inputs = value;
      case {'hold', 'states', 'check'}
        options.(name) = truth(name, value);
      otherwise
        if ~any(strcmp(name, program_options()))
          fail('argument', 'there is no option ''%s'': help brink lists them', name);
        end
        options.given = [options.given, {name, value}];
    end
  end
end

function names = program_options()
  names = {'until', 'from', 'method', 'events', 'rtol', 'atol', 'tolerance', 'order', 'step', 'hmin', ...
           'hmax', 'gain', 'gamma', 'termination', 'parts', 'near_miss', 'range', 'zeno', 'clocks', ...
           'threads', 'every', 'keep', 'report', 'seed', 'top', 'import_path', 'library_path', ...
           'allow_external', 'interpret', 'native', 'audit'};
end

function words = option_words(options, scratch)
  words = {};
  for k = 1:2:numel(options.given)
    name = options.given{k};
    value = options.given{k + 1};
    option = ['--', strrep(name, '_', '-')];
    switch name
      case {'allow_external', 'interpret', 'native', 'audit'}
        if truth(name, value)
          words{end + 1} = option;
        end
      case {'import_path', 'library_path'}
        if ~iscell(value)
          value = {value};
        end
        for j = 1:numel(value)
          words = [words, {option, path_text(name, value{j})}];
        end
      case 'report'
        words = [words, {option, path_text(name, value)}];
      case 'keep'
        if iscell(value)
          value = strjoin(cellfun(@char, value(:).', 'UniformOutput', false), ', ');
        end
        words = [words, {option, value_text(name, value)}];
      otherwise
        words = [words, {option, value_text(name, value)}];
    end
  end
  if ~isempty(options.inputs)
    words = [words, {'--input', write_inputs(options.inputs, scratch)}];
  end
  if options.hold
    words{end + 1} = '--input-hold';
  end
end

function words = knob_words(knobs)
  words = {};
  if isa(knobs, 'containers.Map')
    names = keys(knobs);
    if ~iscellstr(names)
      fail('argument', 'the keys of a map of knobs are names, such as ''car[3].x''');
    end
    for k = 1:numel(names)
      words = [words, {'--set', [names{k}, '=', value_text(names{k}, plain(knobs(names{k})))]}];
    end
  elseif isstruct(knobs)
    words = struct_words('', knobs);
  elseif ~isempty(knobs)
    fail('argument', 'knobs are a struct or a containers.Map, not %s', class(knobs));
  end
end

function words = struct_words(prefix, knobs)
  words = {};
  if numel(knobs) ~= 1
    fail('argument', ['%s is a struct array: to set single elements, use a containers.Map with names', ...
                      ' such as ''car[3].x'''], or_else(prefix, 'knobs'));
  end
  fields = fieldnames(knobs);
  for k = 1:numel(fields)
    name = [prefix, fields{k}];
    value = plain(knobs.(fields{k}));
    if isstruct(value)
      words = [words, struct_words([name, '.'], value)];
    else
      words = [words, {'--set', [name, '=', value_text(name, value)]}];
    end
  end
end

% A file, or standard input for a text: then imports are looked for in the current directory.
function [words, standard_input] = model_words(model, scratch)
  if ~is_text(model)
    fail('argument', 'the model is the name of a file, or a text of several lines, not %s', class(model));
  end
  model = char(model);
  standard_input = '/dev/null';
  if any(model == sprintf('\n'))
    standard_input = fullfile(scratch, 'model.hsml');
    write_text(standard_input, model);
    words = {'-'};
  else
    words = {path_text('the model', model)};
  end
end

% ---- values as texts ---------------------------------------------------------------------------------------

% Numbers have 17 digits: the program reads the same double back.
function text = value_text(name, value)
  if ischar(value) && (isrow(value) || isempty(value))
    text = value;
  elseif ~(isnumeric(value) || islogical(value)) || ~isreal(value) || isempty(value) || ndims(value) > 2
    fail('argument', '%s is a number, a boolean, a text, a vector or a matrix of real numbers, not %s', ...
         name, description(value));
  elseif isscalar(value)
    text = number_text(value);
  elseif isvector(value)
    text = list_text(value);
  else
    rows = cell(1, size(value, 1));
    for k = 1:numel(rows)
      rows{k} = list_text(value(k, :));
    end
    text = ['[', strjoin(rows, ','), ']'];
  end
end

function text = list_text(values)
  words = cell(1, numel(values));
  for k = 1:numel(values)
    words{k} = number_text(values(k));
  end
  text = ['[', strjoin(words, ','), ']'];
end

function text = number_text(value)
  if islogical(value)
    texts = {'false', 'true'};
    text = texts{1 + value};
  elseif isinteger(value)
    text = sprintf('%d', value);
  else
    text = lower(sprintf('%.17g', full(value)));
  end
end

% MATLAB's strings as texts.
function value = plain(value)
  if isa(value, 'string')
    if isscalar(value)
      value = char(value);
    else
      value = cellstr(value);
    end
  end
end

function yes = is_text(value)
  yes = (ischar(value) && (isrow(value) || isempty(value))) || (isa(value, 'string') && isscalar(value));
end

function yes = truth(name, value)
  if ~(islogical(value) || isnumeric(value)) || ~isscalar(value)
    fail('argument', '%s is true or false, not %s', name, description(value));
  end
  yes = logical(value);
end

% The shell does not see the tilde: it is in quotes. Nor is a name that begins with a hyphen an option.
function path = path_text(name, path)
  path = plain(path);
  if ~is_text(path) || isempty(path)
    fail('argument', '%s is the name of a file or directory, not %s', name, description(path));
  end
  if strcmp(path, '~') || strncmp(path, '~/', 2)
    path = [getenv('HOME'), path(2:end)];
  elseif path(1) == '-'
    path = ['./', path];
  end
end

function text = description(value)
  sizes = sprintf('%dx', size(value));
  text = [class(value), ' of ', sizes(1:end - 1)];
end

% ---- inputs ------------------------------------------------------------------------------------------------

% The table of inputs, as the program reads it.
function path = write_inputs(inputs, scratch)
  if ~isstruct(inputs) || numel(inputs) ~= 1
    fail('argument', 'inputs are a struct with time and one field for each input, not %s', ...
         description(inputs));
  end
  time = {'time', 't'};
  time = time(isfield(inputs, time));
  if numel(time) ~= 1
    fail('argument', 'inputs have one field of times, called time or t');
  end
  count = numel(inputs.(time{1}));
  names = fieldnames(inputs);
  heads = {};
  columns = {};
  for k = 1:numel(names)
    [head, texts] = input_columns(names{k}, plain(inputs.(names{k})), count);
    heads = [heads, head];
    columns = [columns, texts];
  end
  lines = [heads; columns];
  lines(:, 1:end - 1) = strcat(lines(:, 1:end - 1), ',');
  lines(:, end) = strcat(lines(:, end), sprintf('\n'));
  lines = lines.';
  path = fullfile(scratch, 'inputs.csv');
  write_text(path, [lines{:}]);
end

% The fields of one input: `count` of them below each head.
function [heads, texts] = input_columns(name, values, count)
  if isvector(values) && ~ischar(values)
    values = values(:);
  end
  if size(values, 1) ~= count || ndims(values) > 2 || ...
     ~(iscellstr(values) || islogical(values) || (isnumeric(values) && isreal(values)))
    fail('argument', ['inputs.%s is %s: give a vector of numbers, booleans or words with one element for', ...
                      ' each of the %d times, or a matrix with one row for each'], ...
         name, description(values), count);
  end
  heads = {name};
  if size(values, 2) > 1
    heads = arrayfun(@(k) sprintf('"%s[%d]"', name, k), 1:size(values, 2), 'UniformOutput', false);
  end
  if iscellstr(values)
    texts = strcat('"', strrep(values, '"', '""'), '"');
  else
    texts = arrayfun(@number_text, values, 'UniformOutput', false);
  end
end

% ---- the program -------------------------------------------------------------------------------------------

function program = find_program()
  program = getenv('BRINK');
  if ~isempty(program)
    return;
  end
  here = fileparts(mfilename('fullpath'));
  % A source tree; then prefix/share/octave/site/m/brink.
  places = {fullfile(here, '..', 'build', 'brink'), ...
            fullfile(here, '..', '..', '..', '..', '..', 'bin', 'brink')};
  for k = 1:numel(places)
    if exist(places{k}, 'file') == 2
      program = places{k};
      return;
    end
  end
  program = 'brink';
end

% Its exit code, and what it wrote to standard output and standard error. The command is in a script for
% /bin/sh, because MATLAB's system() starts the shell of the user, which may be any other.
function [code, output, messages] = run_program(words, standard_input, scratch)
  output_path = fullfile(scratch, 'stdout');
  messages_path = fullfile(scratch, 'stderr');
  script = fullfile(scratch, 'run.sh');
  program = find_program();
  command = strjoin(cellfun(@quoted, [{program}, words], 'UniformOutput', false), ' ');
  write_text(script, sprintf('exec %s <%s >%s 2>%s\n', command, quoted(standard_input), ...
                             quoted(output_path), quoted(messages_path)));
  code = system(['/bin/sh ', quoted(script)]);
  output = read_text(output_path);
  messages = read_text(messages_path);
  if code == 126 || code == 127
    fail('program', ['%s cannot be run: put brink into PATH, or the name of the program into the', ...
                     ' environment variable BRINK\n%s'], program, messages);
  end
end

function text = quoted(text)
  text = ['''', strrep(text, '''', '''\'''''), ''''];
end

% Throws what the exit code means (docs/cli.md).
function check_outcome(code, json, messages, check)
  messages = regexprep(messages, '^brink: ', '', 'lineanchors');
  messages = strtrim(regexprep(messages, '^Try ''brink run --help''\.$', '', 'lineanchors'));
  has_summary = ~isempty(strtrim(json));
  switch code
    case 0
      if ~isempty(messages)
        warning('brink:warning', '%s', regexprep(messages, '^warning: ', '', 'lineanchors'));
      end
    case {1, 4}
      if check || ~has_summary
        fail('simulation', '%s', messages);
      end
    case 2
      fail('argument', '%s', messages);
    case 3
      fail('model', '%s', messages);
    case 5
      fail('file', '%s', messages);
    case {130, 143}
      if check || ~has_summary
        fail('interrupted', '%s', or_else(messages, 'the run was interrupted'));
      end
    otherwise
      fail('program', 'the program ended with code %d\n%s', code, messages);
  end
end

% ---- results -----------------------------------------------------------------------------------------------

function result = read_results(path, json, with_states)
  if ~with_states
    json = without_states(json);
  end
  summary = read_json(json);
  record = read_record(path);
  result = struct('t', record.t);
  groups = group_names(record.names);
  result = nest_columns(result, record, groups, reserved_names());
  result.labels = nest_texts(groups, record.labels);
  result.units = nest_texts(groups, record.units);
  result.names = record.names;
  result.table = record.table;

  words = record.all_names(~cellfun(@isempty, record.all_labels));
  result.events = read_events(member(summary, 'events', {}));
  if with_states
    result.events = add_states(result.events, member(summary, 'events', {}), words);
  end
  result.final = nest_values(member(summary, 'final', no_object()), words, no_layout());
  result.parameters = record.parameters;
  result.status = member(summary, 'status', '');
  result.reason = member(summary, 'reason', '');
  result.message = member(summary, 'message', '');
  result.warnings = member(summary, 'warnings', {});
  result.stats = as_struct(member(summary, 'stats', no_object()));
  result.summary = as_struct(without(summary, {'events', 'final', 'parameters', 'status', 'reason', ...
                                               'message', 'warnings', 'stats'}));
end

function names = reserved_names()
  names = {'t', 'labels', 'units', 'names', 'table', 'events', 'final', 'parameters', 'status', 'reason', ...
           'message', 'warnings', 'stats', 'summary'};
end

% The MAT-file (docs/results.md): t, table, names, labels and units of its columns, parameters; all_names and
% all_labels of both.
function record = read_record(path)
  if exist(path, 'file') ~= 2
    fail('program', 'the program has written no results');
  end
  mat = load(path);
  names = text_rows(mat.name);
  descriptions = text_rows(mat.description);
  [texts, ~, k] = unique(descriptions);
  [labels, units] = cellfun(@explain, texts, 'UniformOutput', false);
  labels = reshape(labels(k), 1, []);
  units = reshape(units(k), 1, []);
  info = double(mat.dataInfo);
  varies = info(1, :) == 2;
  still = info(1, :) == 1;
  data = mat.data_2.';
  record.t = data(:, 1);
  record.table = data(:, info(2, varies));
  record.names = names(varies);
  record.labels = labels(varies);
  record.units = units(varies);
  record.all_names = names;
  record.all_labels = labels;

  values = num2cell(mat.data_1(info(2, still), 1).');
  still_labels = labels(still);
  for k = find(~cellfun(@isempty, still_labels))
    if is_boolean(still_labels{k})
      values{k} = values{k} ~= 0;
    else
      values{k} = still_labels{k}{1 + values{k}};
    end
  end
  record.parameters = nest_values(struct('names', {names(still)}, 'values', {values}), {}, no_layout());
end

% The columns of a matrix of characters, filled with zeros.
function texts = text_rows(matrix)
  matrix = char(matrix).';
  matrix(matrix == 0) = ' ';
  texts = cellstr(matrix).';
  for k = find(any(matrix > 127, 2)).'
    texts{k} = native2unicode(uint8(texts{k}), 'UTF-8');
  end
end

% '0 = filling, 1 = draining [unit]'
function [labels, unit] = explain(text)
  labels = {};
  unit = '';
  bracket = regexp(text, '\[[^\]]*\]$', 'once');
  if ~isempty(bracket)
    unit = text(bracket + 1:end - 1);
    text = strtrim(text(1:bracket - 1));
  end
  rest = text;
  while strncmp(rest, sprintf('%d = ', numel(labels)), numel(sprintf('%d = ', numel(labels))))
    rest = rest(numel(sprintf('%d = ', numel(labels))) + 1:end);
    next = strfind(rest, sprintf(', %d = ', numel(labels) + 1));
    if isempty(next)
      labels{end + 1} = rest;
      rest = '';
    else
      labels{end + 1} = rest(1:next(1) - 1);
      rest = rest(next(1) + 2:end);
    end
  end
end

function yes = is_boolean(labels)
  yes = isequal(labels, {'false', 'true'});
end

% ---- names as fields ---------------------------------------------------------------------------------------

% How names become fields: for each field its path, which of the names are its elements, and their indices
% (one row for each; no columns: it is no array). 'car[3].x' belongs to {'car', 'x'}, with index 3.
function groups = group_names(names)
  groups = struct('path', {}, 'members', {}, 'index', {});
  if isempty(names)
    return;
  end
  bare = regexprep(names, '\[[^\]]*\]', '');
  [fields, ~, field] = unique(bare);
  [~, order] = sort(field(:)); % names of one field are together, in the order given
  counts = accumarray(field(:), 1);
  last = 0;
  for k = 1:numel(fields)
    members = order(last + 1:last + counts(k)).';
    last = last + counts(k);
    groups(k).path = cellfun(@field_name, strsplit(fields{k}, '.'), 'UniformOutput', false);
    groups(k).members = members;
    groups(k).index = indices(names(members));
  end
  [~, order] = sort(arrayfun(@(group) group.members(1), groups));
  groups = groups(order);
end

function name = field_name(name)
  if name(end) == ''''
    name = ['der_', name(1:end - 1)];
  end
  name = regexprep(name, '[^A-Za-z0-9_]', '_');
  if ~isletter(name(1))
    name = ['x', name];
  end
  if iskeyword(name)
    name = [name, '_'];
  end
end

% Names of one field have the same number of indices: 'z[1,2]' and 'car[1].z[2]' have two.
function index = indices(names)
  lists = regexprep(names, '[^\[]*\[([^\]]*)\][^\[]*', '$1,');
  numbers = sscanf([lists{:}], '%d,');
  index = reshape(numbers, numel(numbers) / numel(names), numel(names)).';
end

% The positions of the elements in their array, and its size.
function [position, sizes] = positions(index)
  sizes = max(index, [], 1);
  position = ones(size(index, 1), 1);
  stride = 1;
  for k = 1:numel(sizes)
    position = position + (index(:, k) - 1) * stride;
    stride = stride * sizes(k);
  end
end

function tree = place(tree, path, value)
  name = path{1};
  if isscalar(path)
    while isfield(tree, name)
      name = [name, '_'];
    end
    tree.(name) = value;
  else
    while isfield(tree, name) && ~isstruct(tree.(name))
      name = [name, '_'];
    end
    if ~isfield(tree, name)
      tree.(name) = struct();
    end
    tree.(name) = place(tree.(name), path(2:end), value);
  end
end

% Trajectories: a column for a number; for an array a second dimension, and a third.
function tree = nest_columns(tree, record, groups, taken)
  rows = size(record.table, 1);
  for k = 1:numel(groups)
    group = groups(k);
    values = record.table(:, group.members);
    if ~isempty(group.index)
      [position, sizes] = positions(group.index);
      elements = values;
      values = NaN(rows, prod(sizes));
      values(:, position) = elements;
      values = reshape(values, [rows, sizes]);
    end
    if is_boolean(record.labels{group.members(1)}) && ~any(isnan(values(:)))
      values = logical(values);
    end
    if any(strcmp(group.path{1}, taken))
      group.path{1} = [group.path{1}, '_'];
    end
    tree = place(tree, group.path, values);
  end
end

% One text, or list of texts, for each field that has some.
function tree = nest_texts(groups, texts)
  tree = struct();
  for k = 1:numel(groups)
    text = texts{groups(k).members(1)};
    if ~isempty(text) && ~is_boolean(text)
      tree = place(tree, groups(k).path, text);
    end
  end
end

% Single values of an object. `words` are the names of quantities whose values are words: of others "inf" and
% "nan" are numbers. `layout` has names and their groups: it serves the next object with the same names.
function [tree, layout] = nest_values(object, words, layout)
  tree = struct();
  values = object.values;
  for k = find(cellfun('isclass', values, 'char'))
    if ~any(strcmp(object.names{k}, words))
      values{k} = as_number(values{k});
    end
  end
  if ~isequal(object.names, layout.names)
    layout = struct('names', {object.names}, 'groups', group_names(object.names));
  end
  for k = 1:numel(layout.groups)
    group = layout.groups(k);
    if isempty(group.index)
      value = values{group.members};
    else
      value = array_of(values(group.members), group.index);
    end
    tree = place(tree, group.path, value);
  end
end

function layout = no_layout()
  layout = struct('names', {{}}, 'groups', []);
end

function array = array_of(values, index)
  [position, sizes] = positions(index);
  if isscalar(sizes)
    sizes = [1, sizes];
  end
  if iscellstr(values)
    array = repmat({''}, sizes);
    array(position) = values;
  elseif all(cellfun('islogical', values)) && numel(values) == prod(sizes)
    array = false(sizes);
    array(position) = [values{:}];
  else
    array = NaN(sizes);
    array(position) = cellfun(@double, values);
  end
end

function value = as_number(value)
  if any(strcmp(value, {'inf', '-inf', 'nan'}))
    value = str2double(value);
  end
end

% ---- events ------------------------------------------------------------------------------------------------

% Cuts "state", "after" and "changed" out of the events of a summary: in large models they are nearly all of it.
% These marks are in no text, because quotes in texts have a backslash.
function json = without_states(json)
  from = strfind(json, '"state":{');
  to = regexp(json, '\],\s*"(?:impulse|condition)":', 'start');
  if numel(from) ~= numel(to) || any(to < from)
    return;
  end
  pieces = cell(1, numel(from) + 1);
  begin = 1;
  for k = 1:numel(from)
    pieces{k} = json(begin:from(k) - 1);
    begin = to(k) + 2;
  end
  pieces{end} = json(begin:end);
  json = [pieces{:}];
end

function events = read_events(list)
  count = numel(list);
  events = repmat(struct('t', 0, 'flag', '', 'direction', '', 'condition', NaN, 'note', '', ...
                         'generated', false, 'text', '', 'agents', {{}}), count, 1);
  for k = 1:count
    event = list{k};
    events(k).t = as_number(member(event, 't', NaN));
    events(k).flag = member(event, 'flag', '');
    events(k).direction = member(event, 'direction', '');
    events(k).condition = as_number(or_else(member(event, 'condition', []), NaN));
    events(k).note = or_else(member(event, 'note', ''), '');
    events(k).generated = member(event, 'generated', false);
    events(k).text = member(event, 'text', '');
    events(k).agents = member(event, 'agents', {});
  end
end

function events = add_states(events, list, words)
  [events.before, events.after, events.changed] = deal([]);
  layout_before = no_layout();
  layout_after = no_layout();
  for k = 1:numel(list)
    before = member(list{k}, 'state', no_object());
    after = member(list{k}, 'after', no_object());
    [events(k).before, layout_before] = nest_values(before, words, layout_before);
    [events(k).after, layout_after] = nest_values(after, words, layout_after);
    events(k).changed = member(list{k}, 'changed', {});
  end
end

% ---- JSON --------------------------------------------------------------------------------------------------

% An object is a struct of its names and values, both cell arrays; an array is a cell array. jsondecode does not
% do: it changes names, and Octave's gives numbers that differ in the last digits.
function value = read_json(text)
  [tokens, starts] = regexp(text, '"[^"\\]*(?:\\.[^"\\]*)*"|[^\s"{}\[\],:]+|[{}\[\],:]', 'match', 'start');
  first = text(starts);
  scalars = cell(size(tokens));
  is_string = first == '"';
  scalars(is_string) = unescaped(tokens(is_string));
  is_number = first == '-' | (first >= '0' & first <= '9');
  scalars(is_number) = num2cell(str2double(tokens(is_number)));
  scalars(first == 't') = {true};
  scalars(first == 'f') = {false};
  brackets = find(first == '{' | first == '}' | first == '[' | first == ']');
  next = zeros(size(first)); % of each token: the first bracket behind it
  next(brackets(1:end - 1)) = brackets(2:end);
  json = struct('first', first, 'scalars', {scalars}, 'next', next);
  value = json_value(json, 1);
end

% The value that begins at a token, and its last token.
function [value, last] = json_value(json, at)
  kind = json.first(at);
  if kind ~= '{' && kind ~= '['
    value = json.scalars{at};
    last = at;
    return;
  end
  last = json.next(at);
  flat = any(json.first(last) == '}]');
  if kind == '{' && flat
    value = struct('names', {json.scalars(at + 1:4:last - 1)}, 'values', {json.scalars(at + 3:4:last - 1)});
  elseif flat
    value = json.scalars(at + 1:2:last - 1);
  elseif kind == '{'
    [value, last] = json_object(json, at);
  else
    [value, last] = json_array(json, at);
  end
end

function [value, last] = json_object(json, at)
  names = {};
  values = {};
  last = at;
  while json.first(last) ~= '}'
    names{end + 1} = json.scalars{last + 1};
    [values{end + 1}, last] = json_value(json, last + 3);
    last = last + 1;
  end
  value = struct('names', {names}, 'values', {values});
end

function [value, last] = json_array(json, at)
  value = {};
  last = at;
  while json.first(last) ~= ']'
    [value{end + 1}, last] = json_value(json, last + 1);
    last = last + 1;
  end
end

function texts = unescaped(tokens)
  texts = regexprep(tokens, '^"|"$', '');
  for k = find(~cellfun(@isempty, strfind(texts, '\')))
    texts{k} = unescaped_text(texts{k});
  end
end

% The program writes \", \\, \n and \u00xx.
function text = unescaped_text(text)
  [pieces, escapes] = regexp(text, '\\u[0-9a-f]{4}|\\.', 'split', 'match');
  for k = 1:numel(escapes)
    switch escapes{k}(2)
      case 'n'
        escapes{k} = sprintf('\n');
      case 'u'
        escapes{k} = char(hex2dec(escapes{k}(3:6)));
      otherwise
        escapes{k} = escapes{k}(2);
    end
  end
  both = [pieces; [escapes, {''}]];
  text = [both{:}];
end

function object = no_object()
  object = struct('names', {{}}, 'values', {{}});
end

function value = member(object, name, otherwise_value)
  k = find(strcmp(name, object.names), 1);
  if isempty(k)
    value = otherwise_value;
  else
    value = object.values{k};
  end
end

function object = without(object, names)
  keep = ~ismember(object.names, names);
  object.names = object.names(keep);
  object.values = object.values(keep);
end

% An object whose names are words: the statistics, and what the summary says.
function tree = as_struct(value)
  tree = struct();
  for k = 1:numel(value.names)
    tree.(field_name(value.names{k})) = as_value(value.values{k});
  end
end

function value = as_value(value)
  if isstruct(value)
    value = as_struct(value);
  elseif iscell(value)
    value = cellfun(@as_value, value, 'UniformOutput', false);
  elseif ischar(value)
    value = as_number(value);
  end
end

% ---- files -------------------------------------------------------------------------------------------------

function make_directory(path)
  [fine, message] = mkdir(path);
  if ~fine
    fail('file', 'cannot make the directory %s: %s', path, message);
  end
end

function remove_directory(path)
  names = {'run.sh', 'run.mat', 'stdout', 'stderr', 'model.hsml', 'inputs.csv'};
  for k = 1:numel(names)
    if exist(fullfile(path, names{k}), 'file') == 2
      delete(fullfile(path, names{k}));
    end
  end
  rmdir(path);
end

function write_text(path, text)
  [file, message] = fopen(path, 'w');
  if file < 0
    fail('file', 'cannot write %s: %s', path, message);
  end
  bytes = unicode2native(text, 'UTF-8');
  written = fwrite(file, bytes, 'uint8');
  closed = fclose(file);
  if written ~= numel(bytes) || closed ~= 0
    fail('file', 'cannot write all of %s: is the disk full?', path);
  end
end

function text = read_text(path)
  text = '';
  file = fopen(path, 'r');
  if file >= 0
    bytes = fread(file, Inf, 'uint8=>uint8').';
    fclose(file);
    text = native2unicode(bytes, 'UTF-8');
  end
end

% ---- small things ------------------------------------------------------------------------------------------

function value = or_else(value, otherwise_value)
  if isempty(value)
    value = otherwise_value;
  end
end

function fail(kind, format, varargin)
  error(['brink:', kind], '%s', sprintf(format, varargin{:}));
end
