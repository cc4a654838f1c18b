[ -z "$(ls -A "$HOME")" ] && echo 'no start-up files'
mkdir -p "${XDG_DATA_HOME:-$HOME/.local/share}/partner" && echo quit >"$OCTAVE_HISTFILE" &&
echo 'history written'
