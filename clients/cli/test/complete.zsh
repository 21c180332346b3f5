# Types a text and a tab into an interactive zsh, and prints the line that it then has.
#   zsh -f complete.zsh SCRIPT TEXT    SCRIPT is the completion
zmodload zsh/zpty zsh/zselect zsh/datetime
zpty shell 'zsh -f -i'

# Prints the output of the shell until it has the pattern; fails after 20 seconds.
read_until() {
  local seen= part= end=$((EPOCHREALTIME + 20))
  while [[ $seen != *$~1* ]]; do
    if zpty -rt shell part; then
      seen+=$part
    elif ((EPOCHREALTIME > end)); then
      print -u2 -r -- "$seen"
      return 1
    else
      zselect -t 2
    fi
  done
  print -r -- "$seen"
}

# The shell echoes the commands: the marks are split in them.
zpty -w shell 'show() { print -r -- "LI""NE<$BUFFER>" }; zle -N show; bindkey "^X" show; PS1="$ "; unsetopt zle_bracketed_paste'
zpty -w shell "autoload -Uz compinit && compinit -D -u; source ${(q)1}; print -r -- REA''DY"
read_until READY > /dev/null || exit 1
zpty -wn shell "$2"$'\t\C-x'
seen=$(read_until 'LINE<*>') || exit 1
print -r -- "${${seen##*LINE<}%%>*}"
