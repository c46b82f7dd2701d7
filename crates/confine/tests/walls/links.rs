//! Names that a command can change give it no access to other files: the file that was checked is the file that is opened.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::launch::{TestFolder, changed, exists, has_namespaces, users, ways};

/// Stops the thread that swaps names, even if the test fails.
struct StopOnDrop<'a>(&'a AtomicBool);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Reads and writes files outside, by a name in the project and by their own.
fn line(place: &TestFolder) -> String {
    let outside = place.outside();
    let outside = outside.display();
    format!(
        "cat out/secret {outside}/secret; echo evil > out/made; echo evil > {outside}/made; echo evil > out/kept; ls out; true"
    )
}

#[test]
fn a_symlink_that_a_command_can_make_leads_nowhere() {
    for user in users() {
        let place = TestFolder::new("links", user);
        symlink(place.outside(), place.project().join("out")).unwrap();
        let before = place.seen_outside();
        let out = place.project().join("out");
        for without in ways(&place) {
            for way in [out.clone(), out.join("empty/.."), place.project().join("deep/../out")] {
                let plan = json!({
                    "read": ["/usr", "/bin", "/lib", "/lib64", "/etc", way],
                    "write": [place.project(), way],
                    "withoutNamespaces": without,
                });
                let ended = place.sh(&line(&place), &plan);
                assert_eq!(ended.code, Some(0), "{ended:?}");
                assert!(!ended.out.contains("secret\n"), "{way:?}: {ended:?}");
                assert_eq!(place.seen_outside(), before, "{way:?}: {ended:?}");
            }
        }
    }
}

#[test]
fn an_exact_path_is_the_one_that_was_shown_or_nothing() {
    for user in users() {
        let place = TestFolder::new("exact", user);
        let link = place.root.join("link");
        symlink(place.outside(), &link).unwrap();
        let read = |paths: &[&std::path::Path]| {
            let mut all =
                vec![json!("/usr"), json!("/bin"), json!("/lib"), json!("/lib64"), json!("/etc")];
            all.extend(paths.iter().map(|path| json!(path)));
            all
        };
        for without in ways(&place) {
            let look = format!("cat '{}/secret'", link.display());
            let followed =
                place.sh(&look, &json!({ "read": read(&[&link]), "withoutNamespaces": without }));
            assert_eq!(followed.out, "secret", "{followed:?}");
            let plan =
                json!({ "read": read(&[&link]), "exact": [link], "withoutNamespaces": without });
            let refused = place.sh(&look, &plan);
            assert_eq!(refused.out, "", "{refused:?}");
            let outside = place.outside();
            let plan = json!({ "read": read(&[&outside]), "exact": [outside], "withoutNamespaces": without });
            let given = place.sh(&format!("cat {}/secret", outside.display()), &plan);
            assert_eq!(given.out, "secret", "{given:?}");
        }
    }
}

#[test]
fn a_symlink_that_is_hidden_or_protected_is_neither_opened_nor_replaced() {
    for user in users() {
        let place = TestFolder::new("kept", user);
        if !has_namespaces(&place) {
            continue;
        }
        let at = |name: &str| place.project().join(name);
        fs::create_dir(at("ci")).unwrap();
        fs::write(at("ci/job"), "as before").unwrap();
        fs::write(at("settings"), "hidden").unwrap();
        for path in ["ci", "ci/job", "settings"].map(at) {
            fs::set_permissions(path, fs::Permissions::from_mode(0o777)).unwrap();
        }
        let links = [(".token", "settings"), (".jobs", "ci"), (".none", "nothing")];
        for (name, target) in links {
            symlink(target, at(name)).unwrap();
        }
        let line = "cat .token settings; cat .jobs/job; \
            echo evil > .token; echo evil > .jobs/job; \
            for each in .token .jobs .none; do rm -rf $each; mv $each gone; ln -sfn elsewhere $each; \
            ln -s elsewhere new; mv -T new $each; mkdir $each; done; ls -d gone";
        let changes = json!({ "hide": [at(".token")], "protect": [at(".jobs"), at(".none")] });
        let ended = place.sh(line, &changes);
        assert_eq!(ended.out, "as before", "{ended:?}");
        assert_eq!(fs::read_to_string(at("settings")).unwrap(), "hidden");
        assert_eq!(fs::read_to_string(at("ci/job")).unwrap(), "as before");
        for (name, target) in links {
            assert_eq!(fs::read_link(at(name)).unwrap().to_str(), Some(target), "{ended:?}");
        }
    }
}

/// With another file there, what is protected could be made under its name.
#[test]
fn what_stands_on_the_way_to_a_protected_path_that_is_missing_is_not_replaced() {
    for user in users() {
        let place = TestFolder::new("way", user);
        if !has_namespaces(&place) {
            continue;
        }
        let at = |name: &str| place.project().join(name);
        fs::create_dir(at("real")).unwrap();
        for file in ["file", "under"] {
            fs::write(at(file), "before").unwrap();
        }
        for path in ["real", "file", "under"].map(at) {
            fs::set_permissions(path, fs::Permissions::from_mode(0o777)).unwrap();
        }
        let links =
            [("link", "real"), ("none", "nothing"), ("real/in", "../under"), ("self", "self")];
        for (name, target) in links {
            symlink(target, at(name)).unwrap();
        }
        assert!(std::process::Command::new("mkfifo").arg(at("pipe")).status().unwrap().success());
        let line = "for each in file under link none real/in self pipe; do \
            rm -rf $each; mv -T $each $each.gone; \
            mkdir -p $each/deep; ls -d $each/deep $each.gone; done 2> /dev/null; \
            echo after > file; echo after > under; echo new > real/new; rm real/new; ls real";
        let missing = [
            "file/deep",
            "file/deep/er",
            "link/deep",
            "none/deep",
            "real/in/deep",
            "self/deep",
            "pipe/x",
        ];
        let ended = place.sh(line, &json!({ "protect": missing.map(at) }));
        // A folder that a link leads to is no part of the way that another one could take the place of.
        assert_eq!(ended.out, "link/deep\ndeep\nin\n", "{ended:?}");
        for (name, target) in links {
            assert_eq!(fs::read_link(at(name)).unwrap().to_str(), Some(target), "{ended:?}");
        }
        for file in ["file", "under"] {
            assert_eq!(fs::read_to_string(at(file)).unwrap(), "after\n", "{ended:?}");
        }
        assert!(!at("pipe").is_dir() && at("pipe").exists(), "{ended:?}");
    }
}

#[test]
#[ignore = "long: npm run test:all"]
fn a_folder_that_is_swapped_for_a_symlink_again_and_again_opens_nothing() {
    for user in users() {
        let place = TestFolder::new("swapped", user);
        let [out, link, folder] = ["out", "link", "folder"].map(|name| place.project().join(name));
        symlink(place.outside(), &link).unwrap();
        fs::create_dir(&folder).unwrap();
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o777)).unwrap();
        fs::set_permissions(place.outside(), fs::Permissions::from_mode(0o777)).unwrap();
        let before = place.seen_outside();
        let over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let _ends = StopOnDrop(&over);
            scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    for side in [&folder, &link] {
                        let _ = fs::rename(side, &out);
                        let _ = fs::rename(&out, side);
                    }
                }
            });
            let end = Instant::now() + Duration::from_millis(500);
            let mut runs = 0;
            while runs < 10 || Instant::now() < end {
                runs += 1;
                for without in ways(&place) {
                    let plan =
                        json!({ "write": [out], "exact": [out], "withoutNamespaces": without });
                    let ended =
                        place.sh(&format!("echo evil > {}/made", place.outside().display()), &plan);
                    assert!(!exists(&place.outside().join("made")), "{ended:?}");
                }
            }
        });
        assert_eq!(place.seen_outside(), before);
    }
}

#[test]
fn a_socket_that_took_the_place_of_the_proxy_is_not_connected_to() {
    for user in users() {
        let place = TestFolder::new("replaced", user);
        if !has_namespaces(&place) {
            continue;
        }
        let path = place.root.join("proxy");
        let listener = UnixListener::bind(&path).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o777)).unwrap();
        let program = "import socket\n\
            mine = socket.create_connection(('127.0.0.1', 8888), timeout=60)\n\
            try: print(mine.recv(3).decode() or 'hung up')\n\
            except OSError: print('hung up')\n";
        let run = |inode: u64| {
            let network =
                json!({ "proxy": { "port": 8888, "socket": path, "inode": inode.to_string() } });
            place.run(&changed(
                place.plan(&["python3", "-c", program]),
                &json!({ "network": network }),
            ))
        };
        let inode = fs::metadata(&path).unwrap().ino();
        let answering = std::thread::spawn(move || {
            use std::io::Write;
            for mut connection in listener.incoming().flatten().take(1) {
                let _ = connection.write_all(b"yes");
            }
        });
        // Another one in its place, of the same process as well: nothing is run.
        let aside = place.root.join("aside");
        fs::rename(&path, &aside).unwrap();
        let other = UnixListener::bind(&path).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o777)).unwrap();
        let ended = run(inode);
        assert_eq!((ended.code, ended.out.as_str()), (Some(125), ""), "{ended:?}");
        fs::remove_file(&path).unwrap();
        symlink(&aside, &path).unwrap();
        assert_eq!(run(inode).code, Some(125));
        other.set_nonblocking(true).unwrap();
        assert!(other.accept().is_err());
        fs::rename(&aside, &path).unwrap();
        let ended = run(inode);
        assert_eq!(ended.out, "yes\n", "{ended:?}");
        answering.join().unwrap();
    }
}
