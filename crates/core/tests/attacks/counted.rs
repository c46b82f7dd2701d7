//! How many words a word becomes, and whether what is glued to an option is anything, only the run tells. So no line counts on
//! one reading of that: an option takes the next word, a value brings more words, and all behind them means something else.

use std::os::unix::fs::symlink;

use crate::house::{House, own, started, tried, tried_in_both};

/// Two words: to awk a script and a file; with the first for the value of an option, a script that runs something.
const CODE: &str = r#"1 'BEGIN{system("touch PWN")}'"#;

/// A project with a secret, a link to it, and files to read.
fn house(name: &str) -> House {
    let house = House::new(name);
    for (file, text) in
        [("prod.env", "PASSWORD=x"), ("a.txt", "a"), ("1", "1"), ("p.txt", "./evil")]
    {
        house.put(&format!("project/{file}"), text);
    }
    symlink("prod.env", house.root.join("project/pk")).unwrap();
    house
}

#[test]
fn a_value_that_turns_out_empty_leaves_the_next_word_to_its_option() {
    let house = house("counted-empty");
    let values = [
        r#""$y""#,
        r#""$(true)""#,
        r#""${y:-}""#,
        r#""${x#a}""#,
        r#""${x:+}""#,
        r"$'\0'",
        r"$'\x00'",
        r"$'\c@'",
        r"$'\u0000'",
        r"$'\400'",
        r#""$*""#,
        r#""$!""#,
        "$HOME",
        "\"$HOME\"",
        "`true`",
    ];
    let lines: Vec<String> = values
        .iter()
        .map(|value| format!("awk -F{value} {CODE}"))
        .chain([
            format!(r#"x=a; unset x; awk -F"$x" {CODE}"#),
            format!(r#"printf -v x ''; awk -F"$x" {CODE}"#),
            format!(r#"read x < a.txt; awk -F"$x" {CODE}"#),
            r#"awk -v"$y" a=1 'BEGIN{system("touch PWN")}'"#.to_owned(),
            format!(r#"find . -name 'a*' -exec awk -F"$y" {CODE} \;"#),
            r#"sh -c 'awk -F"$1" 1 "BEGIN{system(\"touch PWN\")}"'"#.to_owned(),
            format!(r#"printf 'a\n\n' | while read -r x; do awk -F"$x" {CODE}; done"#),
            format!(r"printf '\n' | xargs -d '\n' -I{{}} awk -F{{}} {CODE}"),
            format!(r"printf '\0' | xargs -0 -I{{}} awk -F{{}} {CODE}"),
            r#"ls | xargs -E"$y" echo sh -c 'touch PWN'"#.to_owned(),
            r#"xargs -d"$y" : sh -c 'touch PWN' < a.txt"#.to_owned(),
            r#"git grep -e"$y" -- -O./ev.sh"#.to_owned(),
            r#"nice -n"$y" 5 touch PWN"#.to_owned(),
            r#"nice -n"$y" echo touch PWN"#.to_owned(),
            r#"timeout -k"$y" 5 echo touch PWN"#.to_owned(),
            r#"stdbuf -o"$y" echo touch PWN"#.to_owned(),
            r#"rg -r"$y" -- --pre=./ev.sh a.txt"#.to_owned(),
            r#"rg -g"$y" -- --pre=./ev.sh a.txt"#.to_owned(),
            r#"rg -e"$y" -- --pre=./ev.sh a.txt"#.to_owned(),
            r#"fd -E"$y" -- -xtouch"#.to_owned(),
            r#"ag -G"$y" -- --pager=./ev.sh x"#.to_owned(),
            r#"head -n"$y" -c prod.env a.txt"#.to_owned(),
            r#"read -t"$y" PATH x < p.txt; ls"#.to_owned(),
            r#"read -p"$y" 'a[$(touch PWN)]' < a.txt"#.to_owned(),
        ])
        .collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    tried_in_both(
        &house,
        &lines,
        &[
            r#"awk -F"$y": '{print $1}' a.txt"#,
            r#"cut -d"$y," -f1 a.txt"#,
            "s=:; cut -d\"$s\" -f1 a.txt",
            "n=3; head -n\"$n\" a.txt",
            "for s in , ';'; do cut -d\"$s\" -f1 a.txt; done",
            r#"head -n "$y" a.txt"#,
            r#"head --lines="$y" a.txt"#,
            r#"cut -f1 a.txt -d"$y""#,
            "head -c$((1024*4)) a.txt",
            "echo \"$y\" a -n\"$y\" b",
        ],
    );
    tried(
        &started(&house, "developer", "project"),
        &[r#"git commit -m"$y" -m --no-verify"#],
        &[
            "git commit -m \"$MSG\"",
            "git commit -m\"$MSG\"",
            "m='a b'; git commit -m\"$m\" -m more",
        ],
    );
    let rules = own(r#"{"effect":"allow","commands":["echo","uniq"]}"#);
    tried(
        &started(&house, &rules, "project"),
        &[
            r#"echo a | xargs -E"$y" echo sh -c 'touch PWN'"#,
            "echo 1 a.txt /tmp/victim | xargs uniq -f",
        ],
        &["echo a | xargs -Ex echo"],
    );
}

#[test]
fn a_value_that_becomes_several_words_brings_operands() {
    let house = house("counted-many");
    tried_in_both(
        &house,
        &[
            "uniq -f $(echo 1 a.txt /tmp/victim)",
            "uniq -s $(echo 1 a.txt /tmp/victim)",
            "uniq -w$(echo 1 a.txt /tmp/victim)",
            "uniq --skip-fields=$(echo 1 a.txt /tmp/victim)",
            "xxd -l $(cat w.txt)",
            "xxd -s $(cat w.txt)",
            "xxd -c $(cat w.txt)",
            "read -t $(echo 1 'a[$(touch${IFS}PWN)]') x < a.txt",
            "read -t $(echo 1 PATH) x < p.txt; ls",
            "read -t$(echo 1 PATH) x < p.txt; ls",
            "read -n $(echo 1 PATH) x < p.txt; ls",
            "read -p $(echo 1 PATH) x < p.txt; ls",
            "y=$(cat w4.txt); read -t $y x < p.txt; ls",
            "mapfile -t -n $(cat w4.txt) x < p.txt; ls",
            "head -n $(echo 1 prod.env) a.txt",
            "head -n$(echo 1 prod.env) a.txt",
            "head --lines=$y a.txt",
            "tail -n $(echo 1 prod.env) a.txt",
            "tail --pid $y a.txt",
            "cut -d $(echo : prod.env) -f1 a.txt",
            "cut -d$(echo : prod.env) -f1 a.txt",
            "cut -c $(echo 1 prod.env) a.txt",
            "od -N $(echo 9 prod.env) a.txt",
            "fold -w $y a.txt",
            "nl -v $y a.txt",
            "column -c $y a.txt",
            "paste -d $y a.txt",
            "pr -l $y a.txt",
            "expand -t $y a.txt",
            "fmt -w $y a.txt",
            "tac -s $y a.txt",
            "comm --output-delimiter $y a.txt b.txt",
            "head -n ${y:-1 prod.env} a.txt",
            "sh -c 'head -n ${1:-10} a.txt' x",
            "sh -c 'uniq -f $1' x \"$(cat w.txt)\"",
            "sh -c 'uniq -f \"$@\"' x $(cat w.txt)",
            "head -n $* a.txt",
            "for n in $(cat n.txt); do head -n $n a.txt; done",
            "read -a a < n9.txt; head -n \"${a[@]}\" a.txt",
            "read -a a < n9.txt; uniq -f \"${a[@]}\"",
            "x='[1p]*'; head -n $x a.txt",
            "head -n [1p]* a.txt",
        ],
        &[
            "head -n $((RANDOM % 9)) a.txt",
            "N=5; head -n $N a.txt",
            "for i in 1 2 3; do head -n $i a.txt; done",
            "for i in 1 2 3; do uniq -f $i a.txt; done",
            "head -n \"$N\" a.txt",
            "tail -n $# a.txt",
            "i=0; while [ $i -lt 3 ]; do head -n $i a.txt; i=$((i+1)); done",
            "sleep $N",
            "seq -s $y 3",
        ],
    );
}

#[test]
fn a_number_that_is_none_or_several_is_not_one_word() {
    let house = house("counted-numbers");
    let empty = |set: &str| format!("{set}; awk -F $x {CODE}");
    tried_in_both(
        &house,
        &[
            &empty("x=1; [ -f b ] || x="),
            &empty("x=1; [ -f b ] && unset x"),
            &empty("x=$(wc -l < nofile)"),
            &empty("x=()"),
            &empty("x=([1]=5)"),
            &empty("x[1]=5"),
            "for x in '' 1; do paste -d $x -d prod.env a.txt; done",
            "x=1; [ -f b ] || x=; paste -d $x -d prod.env a.txt",
            "x=$(wc < a.txt); uniq -f $x",
            "x=`wc < a.txt`; head -n $x",
        ],
        &["n=$(wc -l < a.txt); head -n \"$n\" a.txt", "n=$(wc -l < a.txt); tail -n $((n/2)) a.txt"],
    );
}

#[test]
fn what_is_appended_behind_an_option_is_more_than_its_value() {
    let house = house("counted-appended");
    tried_in_both(
        &house,
        &[
            "echo 1 a.txt /tmp/victim | xargs uniq -f",
            "xargs xxd -l < w.txt",
            "echo 1 prod.env | xargs head -n",
            "echo 1 prod.env | xargs head -n1 -c",
            "find 1 a.txt /tmp/victim -exec uniq -f {} +",
            "find . -name '*.txt' -exec head -n {} +",
            "find . -name '*.txt' -print0 | xargs -0 head -n",
            "git ls-files -z '*.py' | xargs -0 head -n",
        ],
        &[
            "find src -type f -name '*.rs' -exec head -n 1 {} +",
            "find src -type f -name '*.rs' -print0 | xargs -0 head -n 1",
            "find src -type f -name '*.rs' | xargs grep -n x",
        ],
    );
}

#[test]
fn a_pattern_glued_to_an_option_finds_a_file_that_is_called_so() {
    let house = house("counted-patterns");
    let line = r#"awk -F* 1 'BEGIN{system("touch PWN")}'"#;
    tried_in_both(&house, &[], &["head -n1* a.txt"]);
    house.put("project/-F", "");
    tried_in_both(&house, &[line], &[]);
}

#[test]
fn a_word_alone_behind_wait_may_be_its_option_and_the_name_that_it_sets() {
    let house = house("counted-wait");
    tried_in_both(
        &house,
        &[
            r#"sleep 0.1 & wait "$(cat w3.txt)""#,
            r#"y=$(cat w.txt); wait "$y"; ls"#,
            r#"bash -c 'wait "$1"; ls' x "$(cat w.txt)""#,
            r#"wait -n "$y""#,
            r#"wait -f "$y""#,
            r#"builtin wait "$y""#,
            r#"command wait "$y""#,
            r#"read p < w.txt && wait "$p"; ls"#,
            r#"while read -r p; do wait "$p"; done < w.txt"#,
            r#"IFS=1; wait $!"#,
            r#"p=$!; awk -F"$p" 1 'BEGIN{system("touch PWN")}'"#,
        ],
        &[
            "sleep 1 & wait $!",
            "sleep 1 & wait \"$!\"",
            "sleep 1 & p=$!; wait $p",
            "sleep 1 & p=$!; wait \"$p\"",
            "wait",
            "wait 5",
        ],
    );
}

#[test]
fn the_second_value_of_an_option_is_one_word_too() {
    let house = house("counted-second");
    for name in ["i1", "inputs"] {
        house.put(&format!("project/{name}"), "");
    }
    house.put("project/conf/prod.env", "PASSWORD=x");
    symlink("prod.env", house.root.join("project/iz")).unwrap();
    tried_in_both(
        &house,
        &[
            "find i1 inputs conf -type f -exec jq -nR --arg a {} +",
            "find . -type f -exec jq -nR --argjson a {} +",
            "jq -nR --arg a i* . a.json",
            "jq -nR --arg i* x . a.json",
            "x='i*'; jq -nR --arg a $x . a.json",
            "jq -R . a.json --arg a i*",
            "jq -nR --arg a $(cat a.txt) . a.txt",
        ],
        &["jq --arg a b --arg c d . a.txt"],
    );
}
