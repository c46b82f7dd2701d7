//! The limits of a confined command, by programs that try to get around them: with namespaces and without, under each version of Landlock, as
//! root and as a plain user.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a test that fails should panic, and its helpers are functions beside the tests"
)]
#![allow(unsafe_code, reason = "a hostile program talks to the kernel")]

#[path = "../../../core/src/effort.rs"]
mod effort;
mod hidden;
mod hostile;
mod launch;
mod links;
#[path = "../../../core/src/skip.rs"]
mod skip;

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, UdpSocket};
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use effort::effort;
use hostile::{ATTACKS, VARIABLES};
use launch::{LAUNCHER, TestFolder, changed, exists, has_namespaces, users, variants, ways};
use serde_json::{Value, json};
use skip::skipped;

/// The hostile program: this test, started by the others with its targets.
#[test]
fn hostile_program() {
    if std::env::var_os("ATTACK").is_some() {
        hostile::attack();
    }
}

/// The targets of the attacks: a process, sockets, shared memory.
struct AttackTargets {
    victim: Child,
    tcp: TcpListener,
    udp: UdpSocket,
    _local: [UnixListener; 3],
    shared: i32,
}

impl AttackTargets {
    fn new(place: &TestFolder) -> Self {
        let mut victim = Command::new("sleep");
        place.as_user(victim.arg("98765").env("VICTIM_SECRET", "VICTIM_SECRET"));
        let victim = victim.spawn().unwrap();
        let key = 0x5100_0000 | victim.id() as i32;
        let name = format!("/dev/shm/confine-{key}");
        fs::write(&name, "shared").unwrap();
        fs::set_permissions(&name, fs::Permissions::from_mode(0o666)).unwrap();
        // SAFETY: it takes numbers.
        assert!(unsafe { libc::shmget(key, 4096, libc::IPC_CREAT | 0o666) } >= 0);
        let [outside, project] = ["outside/socket", "project/socket"].map(|name| {
            let path = place.root.join(name);
            let socket = UnixListener::bind(&path).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o777)).unwrap();
            socket
        });
        let without_path = SocketAddr::from_abstract_name(format!("confine-{key}")).unwrap();
        Self {
            victim,
            tcp: TcpListener::bind("127.0.0.1:0").unwrap(),
            udp: UdpSocket::bind("127.0.0.1:0").unwrap(),
            _local: [outside, project, UnixListener::bind_addr(&without_path).unwrap()],
            shared: key,
        }
    }

    fn tell(&self, place: &TestFolder, command: &mut Command, attack: &str) {
        let values = [
            place.outside().display().to_string(),
            place.project().display().to_string(),
            self.victim.id().to_string(),
            self.tcp.local_addr().unwrap().port().to_string(),
            self.udp.local_addr().unwrap().port().to_string(),
            format!("confine-{}", self.shared),
            self.shared.to_string(),
            attack.to_owned(),
        ];
        command.envs(VARIABLES.iter().zip(values));
    }
}

impl Drop for AttackTargets {
    fn drop(&mut self) {
        let _ = self.victim.kill();
        let _ = self.victim.wait();
        let _ = fs::remove_file(format!("/dev/shm/confine-{}", self.shared));
        // SAFETY: it takes numbers, and nothing that is read.
        unsafe {
            let memory = libc::shmget(self.shared, 0, 0);
            libc::shmctl(memory, libc::IPC_RMID, std::ptr::null_mut());
        }
    }
}

/// The names of the attacks that came through.
fn came_through(out: &str, err: &str) -> Vec<String> {
    assert!(out.contains("\ndone"), "the hostile program ended early: {out}{err}");
    out.lines().filter_map(|line| Some(line.split_once("through: ")?.1.to_owned())).collect()
}

fn attacked(place: &TestFolder, targets: &AttackTargets, changes: &Value) {
    let own = std::env::current_exe().unwrap();
    let plan = place.plan(&[own.to_str().unwrap(), "--exact", "hostile_program", "--nocapture"]);
    let mut plan = changed(plan, changes);
    plan["environment"] = json!([VARIABLES, &["PATH"]].concat());
    let readable = place.outside().join("readable");
    plan["read"].as_array_mut().unwrap().push(json!(readable));
    let mut command = place.launch(&plan);
    targets.tell(place, &mut command, "all");
    let left = File::options().append(true).open(place.outside().join("kept")).unwrap();
    let number = left.as_raw_fd();
    // SAFETY: `dup2` may be called between fork and exec.
    unsafe {
        command.pre_exec(move || {
            if libc::dup2(number, 9) < 0 { Err(std::io::Error::last_os_error()) } else { Ok(()) }
        });
    }
    let before = place.seen_outside();
    let output = command.output().unwrap();
    let [out, err] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    let status: Value = err
        .lines()
        .find_map(|line| serde_json::from_str(line).ok())
        .unwrap_or_else(|| panic!("{err}"));
    let open: Vec<&str> =
        status["confined"]["open"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    let has_namespaces = status["confined"]["namespaces"] == true;
    let who = place.user;
    for name in came_through(&out, &err) {
        let attack = ATTACKS.iter().find(|attack| attack.name == name).unwrap();
        let is_said = attack.gap.is_some_and(|gap| open.contains(&gap));
        assert!(
            is_said,
            "came through as {who:?} under {changes}: {name}; said to be open: {open:?}"
        );
    }
    if has_namespaces {
        assert_eq!(open, [""; 0], "{changes}");
        assert_eq!(before, place.seen_outside(), "{changes}");
    }
    // Of the project, what was made for the next round to be made again.
    for name in ["own-config", "going", "hard", "soft", "soft-secret", "env-too", "as-me", "other"]
    {
        let _ = fs::remove_file(place.project().join(name));
    }
}

#[test]
fn nothing_passes_but_what_is_said_to_be_open() {
    for user in users() {
        let place = TestFolder::new("walls", user);
        fs::write(place.outside().join("readable"), "readable").unwrap();
        let targets = AttackTargets::new(&place);
        for changes in variants(&place) {
            attacked(&place, &targets, &changes);
        }
        assert!(targets.tcp.set_nonblocking(true).is_ok() && targets.tcp.accept().is_err());
        assert!(targets.udp.set_nonblocking(true).is_ok() && targets.udp.recv(&mut [0]).is_err());
    }
}

#[test]
fn the_attacks_work_on_what_is_not_confined() {
    let user = users().into_iter().next_back().flatten();
    let place = TestFolder::new("open", user);
    fs::write(place.outside().join("readable"), "readable").unwrap();
    fs::set_permissions(place.outside().join("readable"), fs::Permissions::from_mode(0o666))
        .unwrap();
    let targets = AttackTargets::new(&place);
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "hostile_program", "--nocapture"]).current_dir(place.project());
    targets.tell(&place, place_as(&place, &mut command), "tried");
    let output = command.output().unwrap();
    let [out, err] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    let through = came_through(&out, &err);
    let failed: Vec<&str> = ATTACKS
        .iter()
        .filter(|attack| attack.is_tried && !through.iter().any(|name| name == attack.name))
        .map(|attack| attack.name)
        .collect();
    // Features that this kernel or this user may lack, apart from any sandbox.
    let lacking = ["makes a namespace of users", "uses calls of another architecture"];
    assert!(
        failed.iter().all(|name| lacking.contains(name)),
        "no attack at all: {failed:?}\n{out}{err}"
    );
}

fn place_as<'a>(place: &TestFolder, command: &'a mut Command) -> &'a mut Command {
    place.as_user(command);
    command
}

#[test]
fn what_is_allowed_works() {
    let line = "mkdir -p deep/er && echo text > deep/er/file && mv deep/er/file deep/er/moved && cat deep/er/moved \
        && chmod 755 deep/er/moved && touch -d 2020-01-01 own && rm -r deep && ls /usr >/dev/null && echo x > \"$TMPDIR/t\" \
        && cat \"$TMPDIR/t\" && echo to-null > /dev/null && (echo piped | cat) && cat </dev/zero | head -c 3 | wc -c && pwd";
    for user in users() {
        let place = TestFolder::new("allowed", user);
        for changes in variants(&place) {
            fs::create_dir_all(place.project().join("deep")).unwrap();
            if let Some(user) = user {
                std::os::unix::fs::chown(place.project().join("deep"), Some(user), Some(user))
                    .unwrap();
            }
            // The first version of Landlock lets no file go to another folder; `deep/er` is one.
            let ended = place.sh(line, &changes);
            assert_eq!(ended.code, Some(0), "{changes}: {ended:?}");
            assert_eq!(
                ended.out,
                format!("text\nx\npiped\n3\n{}\n", place.project().display()),
                "{changes}"
            );
        }
    }
}

#[test]
fn a_command_gets_the_variables_that_are_named_and_no_others() {
    let place = TestFolder::new("variables", None);
    let plan = changed(place.plan(&["env"]), &json!({ "environment": ["PATH", "KEPT"] }));
    let output =
        place.launch(&plan).env("KEPT", "1").env("AWS_SECRET_ACCESS_KEY", "2").output().unwrap();
    let out = String::from_utf8(output.stdout).unwrap();
    let mut names: Vec<&str> =
        out.lines().filter_map(|line| Some(line.split_once('=')?.0)).collect();
    names.sort_unstable();
    assert_eq!(names, ["KEPT", "PATH", "TMPDIR"]);
}

#[test]
fn a_call_ends_as_its_command_does() {
    for user in users() {
        let place = TestFolder::new("ends", user);
        for without in ways(&place) {
            let changes = json!({ "withoutNamespaces": without });
            assert_eq!(place.sh("exit 7", &changes).code, Some(7));
            assert_eq!(place.sh("kill -SEGV $$", &changes).signal, Some(libc::SIGSEGV));
            let absent = place.run(&changed(place.plan(&["no-such-program"]), &changes));
            assert_eq!(absent.code, Some(127), "{absent:?}");
            assert!(absent.err.contains("no-such-program"));
            let no_program = place.run(&changed(place.plan(&["/etc/passwd"]), &changes));
            assert_eq!(no_program.code, Some(126), "{no_program:?}");
        }
    }
}

#[test]
fn signals_reach_the_command() {
    for user in users() {
        let place = TestFolder::new("signals", user);
        for without in ways(&place) {
            let line = "trap 'echo got; exit 9' TERM; echo ready; while :; do sleep 0.01; done";
            let plan =
                changed(place.plan(&["sh", "-c", line]), &json!({ "withoutNamespaces": without }));
            let mut child =
                place.launch(&plan).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
            let mut out = BufReader::new(child.stdout.take().unwrap());
            let mut said = String::new();
            out.read_line(&mut said).unwrap();
            // SAFETY: it takes numbers.
            unsafe { libc::kill(child.id() as i32, libc::SIGTERM) };
            out.read_to_string(&mut said).unwrap();
            assert_eq!(said, "ready\ngot\n");
            assert_eq!(child.wait().unwrap().code(), Some(9));
        }
    }
}

#[test]
fn no_signal_is_held_back_from_the_command() {
    for user in users() {
        let place = TestFolder::new("masks", user);
        for without in ways(&place) {
            let changes = json!({ "withoutNamespaces": without });
            let look = "import signal; print(list(signal.pthread_sigmask(signal.SIG_BLOCK, [])))";
            let plan = changed(place.plan(&["python3", "-c", look]), &changes);
            assert_eq!(place.run(&plan).out, "[]\n");
            // A shell with a signal of its children held back waits for ever.
            let many = "for each in 1 2 3 4 5 6 7 8 9; do sleep 0.0$each & done; wait; echo waited";
            assert_eq!(place.sh(many, &changes).out, "waited\n");
        }
    }
}

/// An orphan in a session of its own, which holds the output open for as long as it lives.
const ORPHAN: &str = "rm -f up; setsid sh -c 'setsid sh -c \"trap : TERM HUP; : > up; while :; do sleep 1; done\" &' & \
    while [ ! -e up ]; do sleep 0.01; done; echo left; exit 0";

#[test]
fn nothing_outlives_the_call() {
    for user in users() {
        let place = TestFolder::new("orphans", user);
        for without in ways(&place) {
            let plan = changed(
                place.plan(&["sh", "-c", ORPHAN]),
                &json!({ "withoutNamespaces": without }),
            );
            // This reads to the end of the output: it hangs where an orphan is left.
            let output = place.launch(&plan).output().unwrap();
            assert_eq!(String::from_utf8(output.stdout).unwrap(), "left\n");
        }
    }
}

#[test]
fn nothing_outlives_a_launcher_that_is_killed() {
    for user in users() {
        let place = TestFolder::new("killed", user);
        if !has_namespaces(&place) {
            continue;
        }
        let line = "setsid sh -c 'while :; do sleep 1; done' & echo ready; wait";
        let plan = place.plan(&["sh", "-c", line]);
        let mut child =
            place.launch(&plan).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        out.read_line(&mut String::new()).unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        let mut rest = String::new();
        out.read_to_string(&mut rest).unwrap();
        assert_eq!(rest, "");
    }
}

#[test]
fn nothing_outlives_the_caller() {
    for user in users() {
        let place = TestFolder::new("caller", user);
        for without in ways(&place) {
            let line =
                "setsid sh -c 'trap : TERM HUP; while :; do sleep 1; done' & echo ready; wait";
            // Its status goes to what the caller holds the other end of.
            let plan = changed(
                place.plan(&["sh", "-c", line]),
                &json!({ "withoutNamespaces": without, "status": 2 }),
            );
            let mut child =
                place.launch(&plan).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
            let mut out = BufReader::new(child.stdout.take().unwrap());
            out.read_line(&mut String::new()).unwrap();
            drop(child.stderr.take());
            // This reads to the end of the output: it hangs where something is left.
            let mut rest = String::new();
            out.read_to_string(&mut rest).unwrap();
            assert_eq!(rest, "");
            assert!(!child.wait().unwrap().success());
        }
    }
}

#[test]
fn nothing_outlives_a_caller_that_is_gone_before_it_starts() {
    for user in users() {
        let place = TestFolder::new("gone", user);
        for without in ways(&place) {
            let plan = changed(
                place.plan(&["sh", "-c", "while :; do sleep 1; done"]),
                &json!({ "withoutNamespaces": without, "status": 2 }),
            );
            let (reader, writer) = std::io::pipe().unwrap();
            drop(reader);
            let status = place.launch(&plan).stderr(writer).status().unwrap();
            assert!(!status.success());
        }
    }
}

#[test]
fn a_launcher_that_is_killed_as_it_starts_leaves_nobody() {
    for user in users() {
        let place = TestFolder::new("early", user);
        if !has_namespaces(&place) {
            continue;
        }
        // Known by its arguments, from outside.
        let mark = place.root.join("mark").display().to_string();
        let line = format!(": {mark}; while :; do sleep 1; done");
        let plan = place.plan(&["sh", "-c", &line]);
        let left = || {
            let all = fs::read_dir("/proc").unwrap().flatten();
            all.filter(|entry| {
                let words = fs::read(entry.path().join("cmdline")).unwrap_or_default();
                String::from_utf8_lossy(&words).contains(&mark)
            })
            .count()
        };
        for delay in (0..150u64).step_by(effort(4, 1)) {
            let mut child = place.launch(&plan).stderr(Stdio::null()).spawn().unwrap();
            std::thread::sleep(Duration::from_micros(delay * 50));
            child.kill().unwrap();
            child.wait().unwrap();
        }
        // A process that was told to end needs its time.
        let until = Instant::now() + Duration::from_secs(240);
        while left() > 0 && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(20));
        }
        assert_eq!(left(), 0);
    }
}

#[test]
fn a_terminal_is_neither_read_nor_typed_into() {
    let (mut leader, mut follower) = (0, 0);
    let none = std::ptr::null_mut();
    // SAFETY: there is room for two descriptors, and nothing else is asked for.
    let opened =
        unsafe { libc::openpty(&mut leader, &mut follower, none, none.cast(), none.cast()) };
    assert_eq!(opened, 0);
    // SAFETY: both were made just now.
    let (mut leader, follower) =
        unsafe { (File::from_raw_fd(leader), File::from_raw_fd(follower)) };
    let place = TestFolder::new("terminal", None);
    for without in ways(&place) {
        let program = "import fcntl, os, termios\n\
            def tried(name, do):\n\
            \ttry:\n\t\tdo()\n\t\tprint('through', name)\n\
            \texcept OSError as error:\n\t\tprint('refused', name)\n\
            for number in range(3):\n\
            \ttried('input', lambda: fcntl.ioctl(number, termios.TIOCSTI, b'x'))\n\
            \ttried('read', lambda: os.read(number, 1) or os.close(99))\n\
            tried('own', lambda: os.open('/dev/tty', os.O_RDWR))\n\
            tried('again', lambda: os.open('/proc/self/fd/1', os.O_RDWR))\n\
            print('end')\n";
        let plan = changed(
            place.plan(&["python3", "-c", program]),
            &json!({ "withoutNamespaces": without, "status": null }),
        );
        let mut command = Command::new(LAUNCHER);
        command.arg("run").arg(plan.to_string());
        let ends = [(); 3].map(|()| Stdio::from(follower.try_clone().unwrap()));
        let [input, output, errors] = ends;
        leader.write_all(b"typed\n").unwrap();
        let mut child = command.stdin(input).stdout(output).stderr(errors).spawn().unwrap();
        drop(command);
        child.wait().unwrap();
        let mut said = String::new();
        let mut reader = BufReader::new(&leader);
        while !said.contains("end\r\n") {
            reader.read_line(&mut said).unwrap();
        }
        if said.contains("No such file") {
            skipped("there is no Python");
            return;
        }
        assert!(!said.contains("through"), "{without}: {said}");
        assert_eq!(said.matches("refused").count(), 8, "{said}");
    }
}

#[test]
fn a_network_of_its_own_reaches_itself_and_nobody_else() {
    for user in users() {
        let place = TestFolder::new("loopback", user);
        if !has_namespaces(&place) {
            continue;
        }
        let outside = TcpListener::bind("127.0.0.1:0").unwrap();
        outside.set_nonblocking(true).unwrap();
        let port = outside.local_addr().unwrap().port();
        let program = format!(
            "import socket\n\
            own = socket.create_server(('127.0.0.1', 0))\n\
            socket.create_connection(own.getsockname()).close()\n\
            print('itself')\n\
            try:\n\tsocket.create_connection(('127.0.0.1', {port}), 2); print('others')\n\
            except OSError: print('nobody')\n\
            try:\n\tsocket.socket(socket.AF_UNIX); print('local')\n\
            except OSError: print('nothing local')\n"
        );
        let ended = place.run(&changed(
            place.plan(&["python3", "-c", &program]),
            &json!({ "network": "loopback" }),
        ));
        assert_eq!(ended.out, "itself\nnobody\nnothing local\n", "{ended:?}");
        assert!(outside.accept().is_err());
    }
}

#[test]
fn a_proxy_is_reached_and_nothing_beside_it() {
    for user in users() {
        let place = TestFolder::new("proxy", user);
        if !has_namespaces(&place) {
            continue;
        }
        let [proxy, other] = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
        let [at, beside] = [&proxy, &other].map(|socket| socket.local_addr().unwrap().port());
        let answering = std::thread::spawn(move || {
            let (mut connection, _) = proxy.accept().unwrap();
            let mut asked = String::new();
            connection.read_to_string(&mut asked).unwrap();
            connection.write_all(format!("answer to {asked}").as_bytes()).unwrap();
        });
        let program = format!(
            "import socket\n\
            proxy = socket.create_connection(('127.0.0.1', {at}))\n\
            proxy.sendall(b'question'); proxy.shutdown(socket.SHUT_WR)\n\
            print(proxy.makefile().read())\n\
            try:\n\tsocket.create_connection(('127.0.0.1', {beside}), 2); print('others')\n\
            except OSError: print('nobody')\n"
        );
        let plan = changed(
            place.plan(&["python3", "-c", &program]),
            &json!({ "network": { "proxy": { "port": at } } }),
        );
        let ended = place.run(&plan);
        assert_eq!(ended.out, "answer to question\nnobody\n", "{ended:?}");
        answering.join().unwrap();
        other.set_nonblocking(true).unwrap();
        assert!(other.accept().is_err());
    }
}

#[test]
#[ignore = "long: npm run test:all"]
fn a_proxy_on_a_socket_with_a_path_is_reached_by_many_at_once() {
    for user in users() {
        let place = TestFolder::new("carried", user);
        if !has_namespaces(&place) {
            continue;
        }
        let path = place.root.join("proxy");
        let proxy = UnixListener::bind(&path).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o777)).unwrap();
        std::thread::spawn(move || {
            for mut connection in proxy.incoming().flatten() {
                std::thread::spawn(move || {
                    let mut asked = [0; 2];
                    let _ = connection.read_exact(&mut asked);
                    let _ = connection.write_all(&asked);
                });
            }
        });
        // More than are carried at once: silent ones wait, and do not block others for ever.
        let program = "import socket\n\
            def one(): return socket.create_connection(('127.0.0.1', 8888))\n\
            idle = [one() for _ in range(200)]\n\
            for number in range(300):\n\
            \tmine = one(); mine.sendall(b'ab'); assert mine.recv(2) == b'ab'; mine.close()\n\
            more = [one() for _ in range(100)]\n\
            for each in idle: each.close()\n\
            last = more[-1]; last.sendall(b'cd'); print(last.recv(2).decode())\n\
            try:\n\tsocket.create_connection(('127.0.0.1', 8889), 2); print('others')\n\
            except OSError: print('nobody')\n";
        let network = json!({ "proxy": { "port": 8888, "socket": path } });
        let plan = changed(place.plan(&["python3", "-c", program]), &json!({ "network": network }));
        let ended = place.run(&plan);
        assert_eq!(ended.out, "cd\nnobody\n", "{ended:?}");
    }
}

#[test]
fn without_namespaces_one_port_is_reached_by_tcp_and_nothing_else() {
    for user in users() {
        let place = TestFolder::new("port", user);
        let [proxy, other] = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
        let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
        let [at, beside] = [&proxy, &other].map(|socket| socket.local_addr().unwrap().port());
        let datagrams = udp.local_addr().unwrap().port();
        let program = format!(
            "import ctypes, socket\n\
            def tried(name, do):\n\
            \ttry:\n\t\tdo()\n\t\tprint('through', name)\n\
            \texcept OSError as error:\n\t\tprint('refused', name)\n\
            tried('proxy', lambda: socket.create_connection(('127.0.0.1', {at}), 5))\n\
            tried('beside', lambda: socket.create_connection(('127.0.0.1', {beside}), 5))\n\
            tried('datagrams', lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', {datagrams})))\n\
            tried('six', lambda: socket.socket(socket.AF_INET6))\n\
            tried('raw', lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1))\n\
            tried('mptcp', lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262))\n\
            tried('local', lambda: socket.socket(socket.AF_UNIX))\n\
            tried('bind', lambda: socket.socket().bind(('127.0.0.1', 0)))\n\
            tried('listen', lambda: socket.socket().listen())\n\
            tried('fast', lambda: socket.socket().sendto(b'x', 0x20000000, ('127.0.0.1', {beside})))\n\
            tried('fast message', lambda: socket.socket().sendmsg([b'x'], [], 0x20000000, ('127.0.0.1', {beside})))\n\
            def later():\n\
            \tmine = socket.socket(); mine.setsockopt(socket.IPPROTO_TCP, 30, 1)\n\
            \tmine.connect(('127.0.0.1', {beside})); mine.sendall(b'x')\n\
            tried('fast later', later)\n"
        );
        let network = json!({ "proxy": { "port": at } });
        let plan = changed(
            place.plan(&["python3", "-c", &program]),
            &json!({ "network": network, "withoutNamespaces": true }),
        );
        let ended = place.run(&plan);
        if ended.code == Some(125) && ended.err.contains("Landlock 4") {
            skipped("the kernel has no Landlock 4");
            return;
        }
        let through: Vec<&str> =
            ended.out.lines().filter(|line| line.starts_with("through")).collect();
        assert_eq!(through, ["through proxy"], "{ended:?}");
        assert_eq!(ended.out.lines().count(), 12, "{ended:?}");
        assert!(ended.open().contains(&"proxy-port".to_owned()), "{ended:?}");
        assert!(other.set_nonblocking(true).is_ok() && other.accept().is_err());
        assert!(udp.set_nonblocking(true).is_ok() && udp.recv(&mut [0]).is_err());
    }
}

#[test]
fn local_sockets_that_are_there_are_hidden_where_others_are_allowed() {
    for user in users() {
        let place = TestFolder::new("local", user);
        if !has_namespaces(&place) {
            continue;
        }
        let path = place.project().join("socket");
        let _socket = UnixListener::bind(&path).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o777)).unwrap();
        let program = "import os, socket\n\
            own = socket.socket(socket.AF_UNIX); own.bind('own-socket'); own.listen()\n\
            socket.socket(socket.AF_UNIX).connect('own-socket'); print('its own')\n\
            try:\n\tsocket.socket(socket.AF_UNIX).connect('socket'); print('the other')\n\
            except OSError: print('not the other')\n";
        let plan =
            changed(place.plan(&["python3", "-c", program]), &json!({ "localSockets": true }));
        let ended = place.run(&plan);
        assert_eq!(ended.out, "its own\nnot the other\n", "{ended:?}");
        assert_eq!(ended.open(), ["local-sockets"]);
        let whole = place.run(&changed(plan, &json!({ "demand": "whole" })));
        assert_eq!(whole.code, Some(125), "{whole:?}");
    }
}

#[test]
fn what_cannot_be_held_is_not_run() {
    let place = TestFolder::new("demand", None);
    let touch = place.plan(&["touch", "ran"]);
    let cases = [
        (json!({ "withoutNamespaces": true, "demand": "whole" }), 125),
        (json!({ "withoutNamespaces": true, "network": "loopback" }), 125),
        (
            json!({ "withoutNamespaces": true, "network": { "proxy": { "port": 9 } }, "abi": 3 }),
            125,
        ),
        (
            json!({ "withoutNamespaces": true, "network": { "proxy": { "port": 9 } }, "demand": "whole" }),
            125,
        ),
        (json!({ "network": { "proxy": { "port": 9, "socket": "relative" } } }), 125),
        (json!({ "abi": 0 }), 125),
        (json!({ "write": ["/"] }), 125),
        (json!({ "read": ["usr"] }), 125),
        (json!({ "cwd": "/home" }), 125),
        (json!({ "unknown": 1 }), 125),
        (json!({ "network": "some" }), 125),
        (json!({ "command": [] }), 125),
    ];
    for (changes, code) in cases {
        let ended = place.run(&changed(touch.clone(), &changes));
        assert_eq!(ended.code, Some(code), "{changes}: {ended:?}");
        assert!(ended.err.contains("countersign-confine: "), "{changes}: {ended:?}");
    }
    assert!(!exists(&place.project().join("ran")));
    assert_eq!(place.run(&touch).code, Some(0));
    assert!(exists(&place.project().join("ran")));
}

#[test]
fn a_plan_comes_in_pieces_or_by_a_descriptor() {
    let place = TestFolder::new("pieces", None);
    let plan = place.plan(&["echo", "said"]).to_string();
    let (first, second) = plan.split_at(plan.len() / 2);
    let pieces = Command::new(LAUNCHER).args(["run", first, second]).output().unwrap();
    assert_eq!(pieces.stdout, b"said\n", "{pieces:?}");
    let mut child = Command::new(LAUNCHER)
        .args(["run", "--fd", "0"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(plan.as_bytes()).unwrap();
    assert_eq!(child.wait_with_output().unwrap().stdout, b"said\n");
}

#[test]
fn a_private_folder_and_one_for_temporary_files_are_given() {
    let place = TestFolder::new("private", None);
    if !has_namespaces(&place) {
        return;
    }
    let line = "echo x > $HOME_OF/cache && cat $HOME_OF/cache && echo y > /tmp/kept";
    let kept = place.outside();
    let plan = changed(
        place.plan(&["sh", "-c", line]),
        &json!({ "private": ["/home/of-nobody"], "temporary": kept, "environment": ["PATH", "HOME_OF"] }),
    );
    let output = place.launch(&plan).env("HOME_OF", "/home/of-nobody").output().unwrap();
    assert_eq!(
        String::from_utf8(output.stdout).unwrap(),
        "x\n",
        "{:?}",
        String::from_utf8(output.stderr)
    );
    assert!(!exists(std::path::Path::new("/home/of-nobody")));
    // It is there as `/tmp`, under the same name as outside.
    assert_eq!(fs::read_to_string(kept.join("kept")).unwrap(), "y\n");
}

#[test]
fn limits_hold() {
    let place = TestFolder::new("limits", None);
    let ended = place.sh(
        "head -c 5000 /dev/zero > big; wc -c < big; ulimit -c",
        &json!({ "limits": { "fileSize": 1000 } }),
    );
    assert_eq!(ended.out, "1000\n0\n", "{ended:?}");
}

#[test]
fn the_whole_system_can_be_read_but_not_what_runs_on_it() {
    let place = TestFolder::new("system", None);
    if !has_namespaces(&place) {
        return;
    }
    let ended = place.sh(
        "ls /run /var/tmp; cat ../outside/kept; cat .env; ls / > /dev/null && echo seen",
        &json!({ "read": ["/"] }),
    );
    assert!(ended.out.contains("kept"), "{ended:?}");
    assert!(ended.out.contains("seen") && !ended.out.contains("hidden"), "{ended:?}");
    assert!(!ended.out.contains("dbus") && !ended.out.contains("systemd"), "{ended:?}");
}
