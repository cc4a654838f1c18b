function test_brink(program, source)
%TEST_BRINK  The tests of brink.m, for Octave and MATLAB.
%
%   test_brink(PROGRAM, SOURCE)
%
%   PROGRAM is the program brink, SOURCE the root of the sources. Runs in an empty directory. Results are compared
%   with closed forms and with what the program itself writes: the JSON summary and CSV files, as texts.

  setenv('BRINK', program);
  before = numel(dir(tempdir()));
  tests = {@closed_forms, @rows_are_those_of_the_program, @final_values_are_those_of_the_summary, ...
           @knobs_arrive_exactly, @knobs_of_every_shape, @inputs_over_time, @inputs_that_are_wrong, ...
           @errors_have_identifiers, @messages_show_the_line, @a_failed_run_gives_what_it_has, ...
           @exit_codes_of_the_program, @nothing_reaches_the_shell, @names_that_are_taken, ...
           @words_that_look_like_numbers, ...
           @arrays_have_their_places, @events_with_states, @every_option_is_known, @examples_of_the_page};
  failed = 0;
  for k = 1:numel(tests)
    try
      tests{k}(program, source);
    catch problem
      failed = failed + 1;
      fprintf('FAILED: %s: %s\n', func2str(tests{k}), problem.message);
      for j = 1:numel(problem.stack)
        fprintf('    %s:%d\n', problem.stack(j).name, problem.stack(j).line);
      end
    end
  end
  if numel(dir(tempdir())) ~= before
    failed = failed + 1;
    fprintf('FAILED: temporary files are left in %s\n', tempdir());
  end
  fprintf('%d passed, %d failed\n', numel(tests) - failed, failed);
  if failed > 0
    error('test_brink:failed', 'some tests failed');
  end
end

% ---- models ------------------------------------------------------------------------------------------------

% h = (sqrt(h0) - k t / 2)^2 until it is empty, at t = 2 sqrt(h0) / k.
function text = tank()
  text = lines({'ctc Tank is', ...
                '  interface knob(k); end interface;', ...
                '  body', ...
                '    declarations', ...
                '      state(h, real, "m");', ...
                '      mode(phase, {"wet", "dry"});', ...
                '      flag(empty, unilateral);', ...
                '      parameter(k, real);', ...
                '    end declarations;', ...
                '    initial h := 4.0; phase := "wet"; end initial;', ...
                '    dynamics', ...
                '      if phase = "wet" then h'' = -k*sqrt(h); else h'' = 0.0; end if;', ...
                '      empty = h;', ...
                '    end dynamics;', ...
                '    event(empty) negative-going phase := "dry"; end negative-going; end event;', ...
                '    assignments k : 0.2; end assignments;', ...
                '  end body;', ...
                'end Tank;'});
end

% Inputs and states of every type; x'' = u.
function text = every_type()
  text = lines({'ctc Every is', ...
                '  interface', ...
                '    input(u, signal); input(on, boolean); input(word, string, {"a b", "c, d"});', ...
                '    input(n, integer); input(v[2], signal);', ...
                '    knob(k); knob(yes); knob(m); knob(list);', ...
                '    output(y, signal); output(said, string, {"a b", "c, d"}); output(is_on, boolean);', ...
                '    output(number, integer);', ...
                '  end interface;', ...
                '  body', ...
                '    declarations', ...
                '      state(x, real); state(count, integer); state(ok, boolean); mode(phase, {"up", "down"});', ...
                '      parameter(k, real); parameter(yes, boolean); parameter(m[2, 2], real);', ...
                '      parameter(list[3], real);', ...
                '    end declarations;', ...
                '    initial x := 0.0; count := 0; ok := true; phase := "down"; end initial;', ...
                '    dynamics x'' = u; end dynamics;', ...
                '    output y = v[1] + 10*v[2]; said = word; is_on = on; number = n; end output;', ...
                '    assignments k : 1.0; yes : false; m : [[1, 2], [3, 4]]; list : [1, 2, 3]; end assignments;', ...
                '  end body;', ...
                'end Every;'});
end

function values = steady_inputs()
  values = struct('u', 0, 'on', true, 'word', 'a b', 'n', 3, 'v', [1, 2]);
end

function text = lines(texts)
  text = sprintf('%s\n', texts{:});
end

% ---- results -----------------------------------------------------------------------------------------------

function closed_forms(~, ~)
  r = brink(tank(), struct('k', 0.4), 'until', 20, 'every', 0.5, 'rtol', 1e-10, 'atol', 1e-13);
  wet = r.t <= r.events(1).t;
  expected = (2 - 0.2 * r.t) .^ 2;
  expect(abs(r.events(1).t - 10) < 1e-8, 'the tank is empty at t = 10');
  expect(strcmp(r.events(1).flag, 'empty') && strcmp(r.events(1).direction, 'negative'), 'the event');
  expect(all(abs(r.h(wet) - expected(wet)) < 1e-8), 'h is (2 - 0.2 t)^2');
  expect(sum(wet) > 3 && size(r.t, 2) == 1 && isequal(size(r.h), size(r.t)), 'columns');
  expect(isequal(r.labels.phase, {'wet', 'dry'}) && r.phase(1) == 0 && r.phase(end) == 1, 'modes are numbers');
  expect(strcmp(r.final.phase, 'dry') && r.final.h == r.h(end), 'final values');
  expect(strcmp(r.units.h, 'm') && ~isfield(r.units, 'phase'), 'units');
  expect(strcmp(r.status, 'finished') && r.stats.steps > 0 && isempty(r.warnings), 'the rest');
  expect(r.summary.t == 20 && strcmp(r.summary.model, 'Tank') && r.summary.rtol == 1e-10, 'the summary');
  r = brink(tank(), 'until', 5, 'every', 0.5, 'method', 'adams');
  expect(isequal(r.t, (0:0.5:5).') && strcmp(r.summary.method, 'adams'), 'a grid');
  expect(isempty(r.events) && isfield(r.events, 't') && r.parameters.k == 0.2, 'no events');
end

function rows_are_those_of_the_program(program, source)
  models = {'bouncing-ball', 'thermostat', 'bumper-cars', 'sampled-thermostat', 'house', 'three-agents', ...
            'stick-slip', 'level-control', 'clutch', 'relay', 'conveyor', 'epidemic'};
  for k = 1:numel(models)
    path = fullfile(source, 'models', models{k}, 'model.hsml');
    r = brink(path, 'check', false);
    [names, words] = read_csv(output_of(program, path, '--quiet --out -'));
    expect(isequal(names, [{'time'}, r.names]), [models{k}, ': names']);
    expect(isequal(size(words), [numel(r.t), 1 + numel(r.names)]), [models{k}, ': rows']);
    expect(isequal(numbers(words(:, 1)), r.t), [models{k}, ': time']);
    for j = 1:numel(r.names)
      found = by_name(r, r.names{j});
      labels = {};
      try
        labels = by_name(r.labels, regexprep(r.names{j}, '\[[^\]]*\]', ''));
      catch
      end
      if islogical(found)
        expected = strcmp(words(:, 1 + j), 'true');
      elseif ~isempty(labels)
        [~, expected] = ismember(words(:, 1 + j), labels);
        expected = expected - 1;
      else
        expected = numbers(words(:, 1 + j));
      end
      expect(isequal(expected, found), [models{k}, ': ', r.names{j}]);
      expect(isequal(double(expected), r.table(:, j)), [models{k}, ': table, ', r.names{j}]);
    end
  end
end

function final_values_are_those_of_the_summary(program, source)
  models = {'level-control', 'bumper-cars', 'sampled-thermostat', 'conveyor', 'stick-slip', 'house'};
  checked = 0;
  for k = 1:numel(models)
    path = fullfile(source, 'models', models{k}, 'model.hsml');
    r = brink(path);
    json = output_of(program, path, '--json');
    final = regexp(json, '"final":\{([^}]*)\}', 'tokens', 'once');
    pairs = regexp(final{1}, '"([^"]*)":("[^"]*"|[^,]*)', 'tokens');
    for j = 1:numel(pairs)
      found = by_name(r.final, pairs{j}{1});
      text = strrep(pairs{j}{2}, '"', '');
      if ischar(found)
        expect(strcmp(found, text), [models{k}, ': ', pairs{j}{1}]);
      elseif islogical(found)
        expect(strcmp(text, 'true') == found, [models{k}, ': ', pairs{j}{1}]);
      else
        expect(str2double(text) == found, [models{k}, ': ', pairs{j}{1}]);
      end
      checked = checked + 1;
    end
    times = regexp(json, '\{"t":([^,]*),"flag":"([^"]*)","direction":"([^"]*)"', 'tokens');
    expect(numel(times) == numel(r.events), [models{k}, ': events']);
    for j = 1:numel(times)
      expect(str2double(times{j}{1}) == r.events(j).t && strcmp(times{j}{2}, r.events(j).flag) && ...
             strcmp(times{j}{3}, r.events(j).direction), [models{k}, ': event']);
    end
  end
  expect(checked > 100, 'enough values');
end

function names_that_are_taken(~, ~)
  text = lines({'ctc Odd is', '  body', '    declarations', ...
                '      state(t, real); state(final, real); state(der_final, real); state(events, real);', ...
                '    end declarations;', ...
                '    initial t := 1.0; final := 2.0; der_final := 3.0; events := 4.0; end initial;', ...
                '    dynamics t'' = 0.0; final'' = 5.0; der_final'' = 0.0; events'' = 0.0; end dynamics;', ...
                '  end body;', 'end Odd;'});
  r = brink(text, 'until', 2, 'keep', {'*', 'final'''});
  expect(r.t(end) == 2 && all(r.t_ == 1) && all(r.events_ == 4), 'an underscore behind reserved names');
  expect(r.final_(1) == 2 && all(r.der_final == 3), 'own names come first');
  expect(all(r.der_final_ == 5), 'a derivative gives way');
  expect(r.final.t == 1 && r.final.der_final_ == 5, 'no name is reserved in final');
end

function words_that_look_like_numbers(~, ~)
  text = lines({'ctc Words is', '  body', '    declarations', ...
                '      state(x, real); mode(phase, {"nan", "inf"});', '    end declarations;', ...
                '    initial x := 1.0; phase := "inf"; end initial;', '    dynamics x'' = 0.0; end dynamics;', ...
                '  end body;', 'end Words;'});
  r = brink(text, 'until', 1);
  expect(strcmp(r.final.phase, 'inf') && isequal(r.labels.phase, {'nan', 'inf'}), 'a word stays a word');
  expect(all(r.phase == 1), 'its number');
end

function arrays_have_their_places(~, source)
  path = fullfile(source, 'models', 'bumper-cars', 'model.hsml');
  all_cars = brink(path, 'until', 5, 'every', 1);
  some = brink(path, 'until', 5, 'every', 1, 'keep', 'car[3..4].x');
  expect(isequal(size(all_cars.car.x), [numel(all_cars.t), 20]), 'cars are columns');
  expect(isequal(size(some.car.x), [numel(some.t), 4]) && all(all(isnan(some.car.x(:, 1:2)))), 'not recorded');
  expect(isequal(some.car.x(1, 3:4), all_cars.car.x(1, 3:4)), 'those that are');
  expect(isequal(size(all_cars.final.car.x), [1, 20]), 'final values');
  expect(isequal(all_cars.car.x(:, 7), all_cars.table(:, strcmp(all_cars.names, 'car[7].x'))), 'the table');
  r = brink(every_type(), steady_inputs(), 'until', 1);
  expect(isequal(r.parameters.m, [1, 2; 3, 4]) && isequal(r.parameters.list, [1, 2, 3]), 'a matrix, a vector');
  expect(islogical(r.ok) && all(r.ok) && r.parameters.yes == false, 'booleans');
end

function events_with_states(~, ~)
  r = brink(tank(), 'until', 30, 'states', true);
  expect(isscalar(r.events) && isequal(r.events.changed, {'phase'}), 'what changed');
  expect(strcmp(r.events.after.phase, 'dry') && r.events.before.h < 1e-6, 'before and after');
  plainly = brink(tank(), 'until', 30);
  expect(~isfield(plainly.events, 'after') && plainly.events.t == r.events.t, 'without');
  expect(plainly.events.condition == r.events.condition, 'condition');
  corner = strrep(tank(), '-k*sqrt(h)', '-k*abs(h - 3.0) - k');
  r = brink(corner, 'until', 10);
  expect(r.events(1).generated && ~isempty(r.events(1).text) && ~plainly.events.generated, 'a corner of abs');
  r = brink(tank(), 'until', 1, 'states', true);
  expect(isempty(r.events) && isfield(r.events, 'before'), 'no event');
end

% ---- what goes in ------------------------------------------------------------------------------------------

function knobs_arrive_exactly(~, ~)
  values = [0.1 + 0.2, 1 / 3, pi * 1e-5, 0.1, 1 + eps, 123456789.123456789, 2 ^ -60, 1e22];
  for k = 1:numel(values)
    r = brink(tank(), struct('k', values(k)), 'until', 1e-30);
    expect(r.parameters.k == values(k), sprintf('%.17g', values(k)));
  end
  r = brink(tank(), struct('h', 1 + eps), 'until', 1);
  expect(r.h(1) == 1 + eps, 'an initial value');
  r = brink(tank(), struct('k', single(0.1)), 'until', 1);
  expect(r.parameters.k == double(single(0.1)), 'a single');
end

function knobs_of_every_shape(~, source)
  knobs = steady_inputs();
  knobs.m = [1, 2 / 3; -3, 1e-300];
  knobs.list = [0.1; 0.2; 0.3];
  knobs.yes = true;
  knobs.phase = 'up';
  knobs.k = '1/3';
  knobs.count = int32(7);
  r = brink(every_type(), knobs, 'until', 1);
  expect(isequal(r.parameters.m, knobs.m) && isequal(r.parameters.list, knobs.list.'), 'arrays');
  expect(r.parameters.yes && strcmp(r.final.phase, 'up'), 'a boolean, a word');
  expect(r.parameters.k == 1 / 3 && r.final.count == 7, 'an expression, an integer');
  expect(strcmp(r.final.said, 'a b') && r.final.y == 21 && r.final.is_on, 'inputs that stay');

  cars = fullfile(source, 'models', 'bumper-cars', 'model.hsml');
  knobs = containers.Map();
  knobs('car[3].x') = 1.25;
  knobs('car[4].x') = 1 / 7;
  r = brink(cars, knobs, 'until', 1);
  expect(r.car.x(1, 3) == 1.25 && r.car.x(1, 4) == 1 / 7 && r.car.x(1, 5) ~= 1.25, 'elements by a map');
  thermostat = fullfile(source, 'models', 'thermostat', 'model.hsml');
  nested.room.outdoor = 9.5;
  r = brink(thermostat, nested);
  expect(r.parameters.room.outdoor == 9.5, 'a nested struct');
  expect_error('brink:argument', @() brink(cars, struct('car', struct('x', {1, 2}))), 'containers.Map');
  expect_error('brink:argument', @() brink(tank(), struct('k', 1i), 'until', 1), 'k is a number');
  expect_error('brink:argument', @() brink(tank(), struct('k', []), 'until', 1), 'k is a number');
  expect_error('brink:argument', @() brink(tank(), struct('k', {{1, 2}}), 'until', 1), 'k is a number');
  expect_error('brink:argument', @() brink(tank(), 3, 'until', 1), 'knobs are a struct');
  expect_error('brink:argument', @() brink(tank(), struct('kk', 3), 'until', 1), 'kk=3');
end

function inputs_over_time(~, ~)
  table = struct('time', [0, 1, 2, 3], 'u', [0, 1, 2, 3], 'on', [true, false, true, true], ...
                 'word', {{'a b', 'c, d', 'a b', 'c, d'}}, 'n', int8([1, 2, 3, 4]), ...
                 'v', [1, 2; 1, 2; 1, 2; 3, 4]);
  r = brink(every_type(), 'until', 3, 'inputs', table);
  expect(abs(r.final.x - 4.5) < 1e-9, 'x is t^2/2');
  expect(all(abs(r.x - r.t .^ 2 / 2) < 1e-9), 'at all times');
  expect(strcmp(r.final.said, 'c, d') && r.final.is_on && r.final.number == 4, 'words, booleans, integers');
  expect(r.y(1) == 21 && r.final.y == 43, 'a vector of inputs');
  r = brink(every_type(), 'until', 3, 'inputs', table, 'hold', true);
  expect(abs(r.final.x - 3) < 1e-9, 'held: 0 + 1 + 2');
  table.time = [0, 1, 2, 2.5];
  lastwarn('');
  evalc('r = brink(every_type(), ''until'', 3, ''inputs'', table);');
  expect(numel(r.warnings) == 1 && ~isempty(strfind(r.warnings{1}, 'end at t = 2.5')), 'a warning');
  [~, identifier] = lastwarn();
  expect(strcmp(identifier, 'brink:warning'), 'that is shown');
end

function inputs_that_are_wrong(~, ~)
  steady = rmfield(steady_inputs(), {'u', 'word'});
  run = @(table) brink(every_type(), steady, 'until', 1, 'inputs', table);
  expect_error('brink:argument', @() run(3), 'inputs are a struct');
  expect_error('brink:argument', @() run(struct('u', [1, 2])), 'called time or t');
  expect_error('brink:argument', @() run(struct('t', [0, 1], 'u', [1, 2, 3])), 'inputs.u');
  expect_error('brink:argument', @() run(struct('t', [0, 1], 'u', [1, 2i])), 'inputs.u');
  expect_error('brink:file', @() run(struct('t', [0, 1], 'u', [1, NaN], 'word', {{'a b', 'a b'}})), 'u = ''nan''');
  expect_error('brink:file', @() run(struct('t', [1, 0], 'u', [1, 2], 'word', {{'a b', 'a b'}})), 'time');
  expect_error('brink:file', @() run(struct('t', [0, 1], 'u', [0, 0], 'word', {{'a b', 'x'}})), 'word');
  expect_error('brink:model', @() run(struct('t', [0, 1], 'u', [0, 1])), 'input ''word'' is not connected');
  expect_error('brink:file', @() run(struct('t', [0, 1])), 'time, then the inputs');
end

function every_option_is_known(program, ~)
  [~, text] = system(sprintf('"%s" run --help', program));
  options = regexp(text, '^  (?:-\w, |    )--([a-z-]+)', 'tokens', 'lineanchors');
  options = [options{:}];
  expect(numel(options) > 30, 'the help of the program lists options');
  own = {'out', 'json', 'json-states', 'plot', 'quiet', 'progress', 'color', 'help', 'version', 'set', ...
         'input', 'input-hold', ...
         'checkpoint', 'checkpoint-every', 'resume', 'waiting'};  % results of brink.m are in temporary files
  options = setdiff(options, own);
  explained = help('brink');
  for k = 1:numel(options)
    name = strrep(options{k}, '-', '_');
    expect(~isempty(regexp(explained, ['\<', name, '\>'], 'once')), [name, ' is missing in help brink']);
    try
      brink('no such file', name, 'nonsense');
      problem = struct('message', '');
    catch problem
    end
    expect(isempty(strfind(problem.message, 'there is no option')), [name, ' is unknown to brink.m']);
  end
  expect_error('brink:argument', @() brink(tank(), 'untill', 3), 'untill');
  expect_error('brink:argument', @() brink(tank(), 'out', 'x.csv'), 'out');
  expect_error('brink:argument', @() brink(tank(), 'until'), 'no value');
  expect_error('brink:argument', @() brink(tank(), 'until', -1, 'from', 'x'), '--from x');
  expect_error('brink:argument', @() brink(tank(), 'until', 1, 'hold', 'yes'), 'hold');
end

% ---- what goes wrong ---------------------------------------------------------------------------------------

function errors_have_identifiers(program, ~)
  expect_error('brink:file', @() brink('nowhere.hsml'), 'nowhere.hsml');
  expect_error('brink:argument', @() brink(3), 'the model');
  expect_error('brink:argument', @() brink(tank()), 'end time');
  expect_error('brink:model', @() brink(sprintf('ctc\n')), 'error');
  expect_error('brink:file', @() brink(tank(), 'until', 1, 'report', '/nowhere/report.html'), '/nowhere');
  setenv('BRINK', '/nowhere/brink');
  expect_error('brink:program', @() brink(tank(), 'until', 1), 'environment variable BRINK');
  setenv('BRINK', program);
end

function messages_show_the_line(~, ~)
  write('broken.hsml', strrep(tank(), '-k*sqrt(h)', '-k*squrt(h)'));
  try
    brink('broken.hsml', 'until', 1);
    problem = struct('identifier', '', 'message', '');
  catch problem
  end
  parts = regexp(problem.message, sprintf('\n'), 'split');
  expect(strcmp(problem.identifier, 'brink:model'), 'identifier');
  expect(~isempty(regexp(parts{1}, '^broken\.hsml:12:\d+: error: ', 'once')), 'where');
  expect(~isempty(strfind(parts{2}, 'squrt')), 'the line');
  expect(find(parts{3} == '^', 1) == strfind(parts{2}, 'squrt'), 'the caret');
end

function a_failed_run_gives_what_it_has(~, ~)
  text = strrep(tank(), 'state(h, real, "m")', 'state(h, real, (1.0, 5.0))');
  expect_error('brink:simulation', @() brink(text, 'until', 30), 'outside its range');
  r = brink(text, 'until', 30, 'check', false);
  expect(strcmp(r.status, 'failed') && strcmp(r.reason, 'range'), 'status and reason');
  expect(abs(r.t(end) - 10) < 1e-3 && ~isempty(strfind(r.message, 'outside its range')), 'what there is');
end

% A program that ends as the real one does after Ctrl-C, and one that breaks.
function exit_codes_of_the_program(program, ~)
  write('interrupted', sprintf('#!/bin/sh\n"%s" "$@"\nexit 130\n', program));
  write('broken', sprintf('#!/bin/sh\nexit 77\n'));
  system('chmod +x interrupted broken');
  setenv('BRINK', fullfile(pwd(), 'interrupted'));
  expect_error('brink:interrupted', @() brink(tank(), 'until', 1), 'interrupted');
  r = brink(tank(), 'until', 1, 'check', false);
  expect(r.t(end) == 1, 'what was computed');
  setenv('BRINK', fullfile(pwd(), 'broken'));
  expect_error('brink:program', @() brink(tank(), 'until', 1), 'code 77');
  setenv('BRINK', program);
end

function nothing_reaches_the_shell(~, ~)
  folder = 'a b''c$HOME `touch one` "d" ;touch two; \ & é';
  mkdir(folder);
  write(fullfile(folder, '-tank*.hsml'), tank());
  report = fullfile(folder, 'the report.html');
  r = brink(fullfile(folder, '-tank*.hsml'), 'until', 1, 'report', report);
  expect(r.t(end) == 1 && exist(report, 'file') == 2, 'odd names');
  home = cd(folder);
  r = brink('-tank*.hsml', 'until', 1);
  cd(home);
  expect(r.t(end) == 1, 'a hyphen');
  expect_error('brink:argument', @() brink(tank(), struct('k', '1; touch three'), 'until', 1), 'touch three');
  expect_error('brink:argument', @() brink(tank(), struct('k', '$(touch three)'), 'until', 1), 'touch three');
  expect_error('brink:argument', @() brink(tank(), 'until', ''' ; touch three; '''), 'touch three');
  found = {'one', 'two', 'three'};
  expect(~any(cellfun(@(name) exist(name, 'file') == 2, found)), 'the shell has run something');
end

% ---- the page ----------------------------------------------------------------------------------------------

% The blocks of docs/octave.md, in one workspace: `hsml FILE` is written to a file, `octave` is run, and `text` is
% what the block before it prints.
function examples_of_the_page(~, source)
  page = fileread(fullfile(source, 'docs', 'octave.md'));
  blocks = regexp(page, '```(\w+) ?([^\n]*)\n(.*?)```', 'tokens');
  expect(numel(blocks) >= 8, 'the page has examples');
  printed = '';
  for k = 1:numel(blocks)
    switch blocks{k}{1}
      case 'hsml'
        write(blocks{k}{2}, blocks{k}{3});
      case 'octave'
        printed = evaluate(blocks{k}{3});
      case 'text'
        expect(strcmp(strtrim(printed), strtrim(blocks{k}{3})), ...
               sprintf('the page shows\n%sbut this is printed:\n%s', blocks{k}{3}, printed));
    end
  end
end

% Of plots only the arguments are computed: there may be nothing to draw on.
function printed = evaluate(code)
  assignin('base', 'block', regexprep(code, '^plot\((.*)\)$', '{$1};', 'lineanchors', 'dotexceptnewline'));
  printed = evalc('evalin(''base'', ''eval(block)'')');
end

% ---- small things ------------------------------------------------------------------------------------------

function expect(fine, what)
  if ~all(fine(:)) || isempty(fine)
    error('test_brink:expect', '%s', what);
  end
end

function expect_error(identifier, run, part)
  try
    run();
    problem = struct('identifier', 'none', 'message', '');
  catch problem
  end
  expect(strcmp(problem.identifier, identifier) && ~isempty(strfind(problem.message, part)), ...
         sprintf('%s with "%s" was expected, not %s: %s', identifier, part, problem.identifier, problem.message));
end

% 'plant.car[3].x' in a struct of results or of single values.
function value = by_name(tree, name)
  index = regexp(name, '\[([^\]]*)\]', 'tokens');
  index = sscanf(strjoin([{}, index{:}], ','), '%d,');
  path = strsplit(regexprep(name, '\[[^\]]*\]', ''), '.');
  value = tree;
  for k = 1:numel(path)
    value = value.(path{k});
  end
  if isempty(index)
    return;
  end
  index = num2cell(index);
  if isfield(tree, 'table')
    value = value(:, index{:});
  elseif iscell(value)
    value = value{index{:}};
  else
    value = value(index{:});
  end
end

function text = output_of(program, path, options)
  [~, text] = system(sprintf('"%s" run "%s" %s 2>stderr', program, path, options));
end

function [names, words] = read_csv(text)
  rows = strsplit(strtrim(text), sprintf('\n'));
  names = strsplit(rows{1}, ',');
  words = cell(numel(rows) - 1, numel(names));
  for k = 2:numel(rows)
    words(k - 1, :) = strsplit(rows{k}, ',');
  end
end

function values = numbers(words)
  values = str2double(words);
end

function write(path, text)
  file = fopen(path, 'w');
  fprintf(file, '%s', text);
  fclose(file);
end
