/* messages.h: every kind of diagnostic of the language, with its stable code.
 *
 * A code stays when the words of its message change: editors and tests go by it. All messages of one code have the
 * same arguments in the same order. The words stand where the diagnostic is reported, as a printf format, so that the
 * compiler checks them against the arguments. docs/diagnostics.md explains each code, and tests/lang/errors has a
 * model for each (tests insist on both). */
#ifndef BRINK_LANG_MESSAGES_H
#define BRINK_LANG_MESSAGES_H

/* Characters, numbers, strings: lex*.c. enumerator, code */
#define BRINK_MESSAGE_LIST_LEXER(X)                                                                \
  X(FOREIGN_COMMENT, "foreign-comment")                                                            \
  X(NAME_CHARACTER, "name-character")                                                              \
  X(NAME_TOO_LONG, "name-too-long")                                                                \
  X(UNKNOWN_ESCAPE, "unknown-escape")                                                              \
  X(STRING_BYTE, "string-byte")                                                                    \
  X(UNCLOSED_STRING, "unclosed-string")                                                            \
  X(STRAY_PRIME, "stray-prime")                                                                    \
  X(SINGLE_QUOTES, "single-quotes")                                                                \
  X(TYPOGRAPHIC_QUOTES, "typographic-quotes")                                                      \
  X(NO_BREAK_SPACE, "no-break-space")                                                              \
  X(STRAY_CHARACTER, "stray-character")                                                            \
  X(STRAY_BYTE, "stray-byte")                                                                      \
  X(NUL_BYTE, "nul-byte")                                                                          \
  X(FOREIGN_OPERATOR, "foreign-operator")                                                          \
  X(EMPTY_EXPONENT, "empty-exponent")                                                              \
  X(SECOND_POINT, "second-point")                                                                  \
  X(NUMBER_BEFORE_NAME, "number-before-name")                                                      \
  X(BARE_POINT, "bare-point")                                                                      \
  X(NUMBER_TOO_LONG, "number-too-long")                                                            \
  X(NUMBER_TOO_LARGE, "number-too-large")                                                          \
  X(NUMBER_TOO_SMALL, "number-too-small")

/* Syntax: parse*.c. */
#define BRINK_MESSAGE_LIST_PARSER(X)                                                               \
  X(IMPORT_CYCLE, "import-cycle")                                                                  \
  X(IMPORTS_TOO_DEEP, "imports-too-deep")                                                          \
  X(IMPORT_FAILED, "import-failed")                                                                \
  X(FUNCTION_MISPLACED, "function-misplaced")                                                      \
  X(FUNCTION_ASSIGNED, "function-assigned")                                                        \
  X(STRAY_SEMICOLON, "stray-semicolon")                                                            \
  X(NOTHING_TO_END, "nothing-to-end")                                                              \
  X(EXPECTED_COMPONENT, "expected-component")                                                      \
  X(EXPECTED_WORD, "expected-word")                                                                \
  X(NOT_IN_PAIR, "not-in-pair")                                                                    \
  X(NOT_IN_AGENTS, "not-in-agents")                                                                \
  X(MISSING_OPENER, "missing-opener")                                                              \
  X(FOREIGN_ELSIF, "foreign-elsif")                                                                \
  X(AFTER_ELSE, "after-else")                                                                      \
  X(SECOND_SECTION, "second-section")                                                              \
  X(SECOND_ACTION, "second-action")                                                                \
  X(UNKNOWN_EVENT_PART, "unknown-event-part")                                                      \
  X(NOT_IN_EVENT, "not-in-event")                                                                  \
  X(EVENT_SEMICOLON, "event-semicolon")                                                            \
  X(UNKNOWN_SECTION, "unknown-section")                                                            \
  X(INTERFACE_IN_BODY, "interface-in-body")                                                        \
  X(OUTSIDE_OF_SECTION, "outside-of-section")                                                      \
  X(NOT_A_SECTION, "not-a-section")                                                                \
  X(UNKNOWN_PART, "unknown-part")                                                                  \
  X(EXPECTED_PART, "expected-part")                                                                \
  X(MISSING_KIND, "missing-kind")                                                                  \
  X(UNKNOWN_KIND, "unknown-kind")                                                                  \
  X(MISSING_COMPONENT_NAME, "missing-component-name")                                              \
  X(COMPONENT_HEAD, "component-head")                                                              \
  X(REPEATED_WORD, "repeated-word")                                                                \
  X(MISSING_WORD, "missing-word")                                                                  \
  X(EXPECTED_TYPE, "expected-type")                                                                \
  X(UNKNOWN_TYPE, "unknown-type")                                                                  \
  X(SET_ITEM_FORMULA, "set-item-formula")                                                          \
  X(DOTS_IN_RANGE, "dots-in-range")                                                                \
  X(MISSING_SIGN, "missing-sign")                                                                  \
  X(EXPECTED_RANGE, "expected-range")                                                              \
  X(UNKNOWN_SIDE, "unknown-side")                                                                  \
  X(EXPECTED_SIDE, "expected-side")                                                                \
  X(EXPECTED_SET, "expected-set")                                                                  \
  X(SECOND_DECLARATION, "second-declaration")                                                      \
  X(EXPECTED_DECLARATION, "expected-declaration")                                                  \
  X(UNKNOWN_DECLARATION, "unknown-declaration")                                                    \
  X(NOT_A_DECLARATION, "not-a-declaration")                                                        \
  X(DECLARATION_MISPLACED, "declaration-misplaced")                                                \
  X(VALUE_WITHOUT_COLON, "value-without-colon")                                                    \
  X(PART_WITHOUT_COLON, "part-without-colon")                                                      \
  X(EXPRESSION_TOO_DEEP, "expression-too-deep")                                                    \
  X(SECOND_INDEX, "second-index")                                                                  \
  X(SECOND_DERIVATIVE, "second-derivative")                                                        \
  X(COMMA_IN_PARENTHESES, "comma-in-parentheses")                                                  \
  X(DERIVATIVE_OF_NO_NAME, "derivative-of-no-name")                                                \
  X(MISSING_ELSE, "missing-else")                                                                  \
  X(RESERVED_WORD, "reserved-word")                                                                \
  X(SET_MISPLACED, "set-misplaced")                                                                \
  X(ONE_WORD, "one-word")                                                                          \
  X(UNARY_PLUS, "unary-plus")                                                                      \
  X(NOT_BINDS_LESS, "not-binds-less")                                                              \
  X(ASSIGNMENT_IN_EXPRESSION, "assignment-in-expression")                                          \
  X(CHAINED_RELATIONS, "chained-relations")                                                        \
  X(EXPECTED, "expected")                                                                          \
  X(NESTED_TOO_DEEP, "nested-too-deep")                                                            \
  X(UNEXPECTED, "unexpected")                                                                      \
  X(MISSING_END, "missing-end")                                                                    \
  X(MISSING_END_BEFORE, "missing-end-before")                                                      \
  X(TWO_WORDS, "two-words")                                                                        \
  X(MISSING_WORD_BEFORE, "missing-word-before")                                                    \
  X(END_WITHOUT_NAME, "end-without-name")                                                          \
  X(NO_SUCH_BLOCK, "no-such-block")                                                                \
  X(WRONG_END, "wrong-end")                                                                        \
  X(LET_ASSIGNS, "let-assigns")                                                                    \
  X(EXPECTED_STRING, "expected-string")                                                            \
  X(CONNECT_ARGUMENTS, "connect-arguments")                                                        \
  X(CONNECT_FORMULA, "connect-formula")                                                            \
  X(COLON_MISPLACED, "colon-misplaced")                                                            \
  X(ASSIGNMENT_AS_EQUATION, "assignment-as-equation")                                              \
  X(EQUATION_AS_ASSIGNMENT, "equation-as-assignment")                                              \
  X(LEFT_SIDE_FORMULA, "left-side-formula")                                                        \
  X(ASSIGNED_FORMULA, "assigned-formula")                                                          \
  X(CALL_AS_STATEMENT, "call-as-statement")                                                        \
  X(EXPRESSION_AS_STATEMENT, "expression-as-statement")                                            \
  X(UNKNOWN_STATEMENT, "unknown-statement")                                                        \
  X(WITHOUT_IF, "without-if")                                                                      \
  X(NOT_A_STATEMENT, "not-a-statement")                                                            \
  X(STATEMENT_MISPLACED, "statement-misplaced")                                                    \
  X(MODEL_TOO_LARGE, "model-too-large")

/* What is wrong with a component by itself: check*.c. */
#define BRINK_MESSAGE_LIST_CHECKER(X)                                                              \
  X(DECLARED_TWICE, "declared-twice")                                                              \
  X(UNKNOWN_COMPONENT, "unknown-component")                                                        \
  X(SYSTEM_AS_PART, "system-as-part")                                                              \
  X(CONTAINS_ITSELF, "contains-itself")                                                            \
  X(NO_INITIAL_VALUE, "no-initial-value")                                                          \
  X(POPULATION_NOT_AN_ARRAY, "population-not-an-array")                                            \
  X(POPULATION_TWICE, "population-twice")                                                          \
  X(NOT_A_POPULATION, "not-a-population")                                                          \
  X(DECLARED_IN_PAIR, "declared-in-pair")                                                          \
  X(REACH_ARGUMENTS, "reach-arguments")                                                            \
  X(REACH_PARTNERS, "reach-partners")                                                              \
  X(REACH_TWICE, "reach-twice")                                                                    \
  X(EQUATION_MISPLACED, "equation-misplaced")                                                      \
  X(DERIVATIVE_OF_NO_STATE, "derivative-of-no-state")                                              \
  X(DERIVATIVE_OF_NO_REAL, "derivative-of-no-real")                                                \
  X(DERIVATIVE_OUTSIDE_DYNAMICS, "derivative-outside-dynamics")                                    \
  X(DEFINED_ELSEWHERE, "defined-elsewhere")                                                        \
  X(NOT_ASSIGNABLE, "not-assignable")                                                              \
  X(NOT_GUESSABLE, "not-guessable")                                                                \
  X(CONSTRAINT_NOT_A_NUMBER, "constraint-not-a-number")                                            \
  X(CONSTRAINT_BRANCHES, "constraint-branches")                                                    \
  X(DERIVATIVE_IN_CONSTRAINTS, "derivative-in-constraints")                                        \
  X(FORMULA_IN_ONE_BRANCH, "formula-in-one-branch")                                                \
  X(NOT_IN_DYNAMICS, "not-in-dynamics")                                                            \
  X(EQUATIONS_WITHOUT_ELSE, "equations-without-else")                                              \
  X(LET_TAKES_A_NAME, "let-takes-a-name")                                                          \
  X(CONSTANT_CONDITION, "constant-condition")                                                      \
  X(IMPOSSIBLE_CONDITION, "impossible-condition")                                                  \
  X(CONDITION_TWICE, "condition-twice")                                                            \
  X(SECTION_NOT_ALLOWED, "section-not-allowed")                                                    \
  X(NEVER_DEFINED, "never-defined")                                                                \
  X(NO_EQUATION, "no-equation")                                                                    \
  X(TOO_FEW_CONSTRAINTS, "too-few-constraints")                                                    \
  X(TOO_MANY_CONSTRAINTS, "too-many-constraints")                                                  \
  X(NOT_A_FLAG, "not-a-flag")                                                                      \
  X(EVENT_TWICE, "event-twice")                                                                    \
  X(ARGUMENT_COUNT, "argument-count")                                                              \
  X(ARGUMENT_NOT_A_NUMBER, "argument-not-a-number")                                                \
  X(ARGUMENT_NOT_A_VECTOR, "argument-not-a-vector")                                                \
  X(SGN_OF_NO_FLAG, "sgn-of-no-flag")                                                              \
  X(PRE_MISPLACED, "pre-misplaced")                                                                \
  X(PRE_OF_NO_STATE, "pre-of-no-state")                                                            \
  X(RANDOM_MISPLACED, "random-misplaced")                                                          \
  X(TABLE_WITHOUT_VECTORS, "table-without-vectors")                                                \
  X(TABLE_LENGTHS, "table-lengths")                                                                \
  X(TABLE_ORDER, "table-order")                                                                    \
  X(RECURSION, "recursion")                                                                        \
  X(FUNCTIONS_TOO_DEEP, "functions-too-deep")                                                      \
  X(FUNCTION_TOO_LARGE, "function-too-large")                                                      \
  X(NOT_A_FUNCTION, "not-a-function")                                                              \
  X(UNKNOWN_FUNCTION, "unknown-function")                                                          \
  X(NOT_A_SOURCE, "not-a-source")                                                                  \
  X(INPUT_AS_SOURCE, "input-as-source")                                                            \
  X(COMPONENT_AS_SOURCE, "component-as-source")                                                    \
  X(TARGET_INSIDE_A_PART, "target-inside-a-part")                                                  \
  X(NOT_A_TARGET, "not-a-target")                                                                  \
  X(CONNECTED_TYPES, "connected-types")                                                            \
  X(SIGNAL_TO_HELD_INPUT, "signal-to-held-input")                                                  \
  X(CONNECTED_SHAPES, "connected-shapes")                                                          \
  X(CONNECTED_SETS, "connected-sets")                                                              \
  X(CONNECTED_RANGES, "connected-ranges")                                                          \
  X(CONNECTED_UNITS, "connected-units")                                                            \
  X(AGENTS_CONNECTED, "agents-connected")                                                          \
  X(SET_ITEM_TYPE, "set-item-type")                                                                \
  X(SET_ITEM_TWICE, "set-item-twice")                                                              \
  X(SET_NOT_ALLOWED, "set-not-allowed")                                                            \
  X(RANGE_NOT_ALLOWED, "range-not-allowed")                                                        \
  X(EMPTY_RANGE, "empty-range")                                                                    \
  X(NO_ELEMENTS, "no-elements")                                                                    \
  X(KIND_NOT_ALLOWED, "kind-not-allowed")                                                          \
  X(PARAMETER_AS_SIGNAL, "parameter-as-signal")                                                    \
  X(KNOB_NOT_A_PARAMETER, "knob-not-a-parameter")                                                  \
  X(MENTIONED_TWICE, "mentioned-twice")                                                            \
  X(SAMPLE_NOT_ALLOWED, "sample-not-allowed")                                                      \
  X(PERIOD_NOT_POSITIVE, "period-not-positive")                                                    \
  X(OFFSET_NEGATIVE, "offset-negative")                                                            \
  X(PRIORITY_NOT_ALLOWED, "priority-not-allowed")                                                  \
  X(NO_SAMPLE, "no-sample")                                                                        \
  X(NOT_IN_EVERY_BRANCH, "not-in-every-branch")                                                    \
  X(NOT_CONSTANT, "not-constant")                                                                  \
  X(NOT_A_VALUE, "not-a-value")                                                                    \
  X(NOT_KNOWN_BEFORE_RUN, "not-known-before-run")                                                  \
  X(NO_DERIVATIVE, "no-derivative")                                                                \
  X(DERIVATIVE_MISPLACED, "derivative-misplaced")                                                  \
  X(OPERAND_NOT_A_NUMBER, "operand-not-a-number")                                                  \
  X(VECTORS_COMPARED, "vectors-compared")                                                          \
  X(TYPES_COMPARED, "types-compared")                                                              \
  X(OPERAND_NOT_A_BOOLEAN, "operand-not-a-boolean")                                                \
  X(BRANCH_TYPES, "branch-types")                                                                  \
  X(VECTOR_IN_VECTOR, "vector-in-vector")                                                          \
  X(ELEMENT_TYPES, "element-types")                                                                \
  X(NOT_A_NUMBER, "not-a-number")                                                                  \
  X(VECTOR_AS_NUMBER, "vector-as-number")                                                          \
  X(NOT_A_WHOLE_NUMBER, "not-a-whole-number")                                                      \
  X(CONDITION_NOT_A_BOOLEAN, "condition-not-a-boolean")                                            \
  X(FUNCTION_WITHOUT_ARGUMENTS, "function-without-arguments")                                      \
  X(UNKNOWN_NAME, "unknown-name")                                                                  \
  X(UNKNOWN_MEMBER, "unknown-member")                                                              \
  X(INDEX_OF_NO_VECTOR, "index-of-no-vector")                                                      \
  X(INDEX_OF_NO_ARRAY, "index-of-no-array")                                                        \
  X(INDEX_OUT_OF_RANGE, "index-out-of-range")                                                      \
  X(MEMBER_OF_NO_COMPONENT, "member-of-no-component")                                              \
  X(INDEX_MISSING, "index-missing")                                                                \
  X(NOT_VISIBLE_IN_PAIR, "not-visible-in-pair")                                                    \
  X(NOT_VISIBLE, "not-visible")                                                                    \
  X(UNKNOWN_STRING, "unknown-string")                                                              \
  X(STRING_NOT_IN_SET, "string-not-in-set")                                                        \
  X(STRING_SET_TOO_LARGE, "string-set-too-large")                                                  \
  X(DISJOINT_SETS, "disjoint-sets")                                                                \
  X(VALUE_NOT_IN_SET, "value-not-in-set")                                                          \
  X(VALUE_OUT_OF_RANGE, "value-out-of-range")                                                      \
  X(STRING_AS_FLAG, "string-as-flag")                                                              \
  X(TYPE_MISMATCH, "type-mismatch")                                                                \
  X(VECTOR_AS_VALUE, "vector-as-value")                                                            \
  X(LENGTH_MISMATCH, "length-mismatch")                                                            \
  X(VALUE_TWICE, "value-twice")                                                                    \
  X(VALUE_NOT_ALLOWED, "value-not-allowed")                                                        \
  X(VALUE_OF_ANOTHER_COMPONENT, "value-of-another-component")                                      \
  X(NOT_A_KNOB, "not-a-knob")                                                                      \
  X(UNKNOWN_KNOB, "unknown-knob")                                                                  \
  X(SIMULATION_NOT_A_STRING, "simulation-not-a-string")                                            \
  X(SIMULATION_UNKNOWN_WORD, "simulation-unknown-word")                                            \
  X(SIMULATION_OUT_OF_BOUNDS, "simulation-out-of-bounds")                                          \
  X(SIMULATION_UNKNOWN, "simulation-unknown")

/* What is wrong with instances and values: flat*.c. */
#define BRINK_MESSAGE_LIST_FLATTENER(X)                                                            \
  X(ACTION_TOO_LARGE, "action-too-large")                                                          \
  X(ASSIGNED_TWICE, "assigned-twice")                                                              \
  X(TOO_MANY_ASSIGNMENTS, "too-many-assignments")                                                  \
  X(EVENT_OF_A_VECTOR, "event-of-a-vector")                                                        \
  X(SAMPLE_PERIOD_NOT_POSITIVE, "sample-period-not-positive")                                      \
  X(SAMPLE_OFFSET_NOT_FINITE, "sample-offset-not-finite")                                          \
  X(PRIORITY_TOO_LARGE, "priority-too-large")                                                      \
  X(SAMPLES_DIFFER, "samples-differ")                                                              \
  X(TABLE_LISTS, "table-lists")                                                                    \
  X(TABLE_CORNERS, "table-corners")                                                                \
  X(RANGE_THROUGH_CONNECTIONS, "range-through-connections")                                        \
  X(CONNECTED_LENGTHS, "connected-lengths")                                                        \
  X(CONNECTED_TWICE, "connected-twice")                                                            \
  X(UNCONNECTED_OUTPUT, "unconnected-output")                                                      \
  X(CONNECTED_TO_ITSELF, "connected-to-itself")                                                    \
  X(HELD_INPUT_VARIES, "held-input-varies")                                                        \
  X(BRANCHES_DIFFER, "branches-differ")                                                            \
  X(LOOPS_TOO_DEEP, "loops-too-deep")                                                              \
  X(LOOP_BOUNDS_DIFFER, "loop-bounds-differ")                                                      \
  X(DEFINED_TWICE, "defined-twice")                                                                \
  X(TOO_MANY_EQUATIONS, "too-many-equations")                                                      \
  X(EQUATION_TOO_LARGE, "equation-too-large")                                                      \
  X(EQUATION_LENGTH, "equation-length")                                                            \
  X(CONSTRAINT_LENGTHS, "constraint-lengths")                                                      \
  X(CONSTRAINT_CONDITION, "constraint-condition")                                                  \
  X(STRUCTURE, "structure")                                                                        \
  X(STRUCTURE_COUNT, "structure-count")                                                            \
  X(STRUCTURE_SIZE, "structure-size")                                                              \
  X(CONSTRAINT_NOT_WRITTEN_OUT, "constraint-not-written-out")                                      \
  X(EQUALITY_OF_SIGNALS, "equality-of-signals")                                                    \
  X(LIST_NOT_ALLOWED, "list-not-allowed")                                                          \
  X(TOO_MANY_PAIRS, "too-many-pairs")                                                              \
  X(VALUE_FROM_ANOTHER_AGENT, "value-from-another-agent")                                          \
  X(PARAMETER_OUT_OF_RANGE, "parameter-out-of-range")                                              \
  X(CIRCULAR_VALUE, "circular-value")                                                              \
  X(INITIAL_OUT_OF_RANGE, "initial-out-of-range")                                                  \
  X(INITIAL_NOT_FINITE, "initial-not-finite")                                                      \
  X(ELEMENTS_NEEDED, "elements-needed")                                                            \
  X(TOO_MANY_INSTANCES, "too-many-instances")                                                      \
  X(COMPONENTS_TOO_DEEP, "components-too-deep")                                                    \
  X(SIZES_DIFFER, "sizes-differ")                                                                  \
  X(TOO_MANY_ELEMENTS, "too-many-elements")                                                        \
  X(VALUE_NOT_KNOWN, "value-not-known")                                                            \
  X(MODEL_TOO_COSTLY, "model-too-costly")                                                          \
  X(NUMBER_OUT_OF_BOUNDS, "number-out-of-bounds")                                                  \
  X(VECTOR_LENGTHS, "vector-lengths")                                                              \
  X(ALGEBRAIC_LOOP, "algebraic-loop")                                                              \
  X(EMPTY_FILE, "empty-file")                                                                      \
  X(UNCONNECTED_INPUT, "unconnected-input")                                                        \
  X(NO_VALUE, "no-value")                                                                          \
  X(SEED_DRAWN, "seed-drawn")                                                                      \
  X(SEED_OF_A_PART, "seed-of-a-part")

/* What is wrong with the settings of a caller, not with the text. UNKNOWN_COMPONENT is one of these, too. */
#define BRINK_MESSAGE_LIST_SETTINGS(X)                                                             \
  X(UNKNOWN_INPUT, "unknown-input")                                                                \
  X(UNKNOWN_SETTING, "unknown-setting")                                                            \
  X(SETTING_WITHOUT_VALUE, "setting-without-value")                                                \
  X(SETTING_NOT_A_NUMBER, "setting-not-a-number")                                                  \
  X(SETTING_NOT_A_WHOLE_NUMBER, "setting-not-a-whole-number")                                      \
  X(SETTING_NOT_A_BOOLEAN, "setting-not-a-boolean")                                                \
  X(SETTING_NOT_IN_SET, "setting-not-in-set")                                                      \
  X(SETTING_OUT_OF_RANGE, "setting-out-of-range")

#define BRINK_MESSAGE_LIST(X)                                                                      \
  BRINK_MESSAGE_LIST_LEXER(X)                                                                      \
  BRINK_MESSAGE_LIST_PARSER(X)                                                                     \
  BRINK_MESSAGE_LIST_CHECKER(X) BRINK_MESSAGE_LIST_FLATTENER(X) BRINK_MESSAGE_LIST_SETTINGS(X)

typedef enum brink_message {
#define BRINK_MESSAGE_ENUM(id, code) BRINK_MSG_##id,
  BRINK_MESSAGE_LIST(BRINK_MESSAGE_ENUM)
#undef BRINK_MESSAGE_ENUM
      BRINK_MSG_COUNT
} brink_message;

/* "unknown-name" */
const char *brink_message_code(brink_message message);

#endif
