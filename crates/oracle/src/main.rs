//! The differential test as a program.
use std::path::Path;
fn main() -> std::process::ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if let [role, stub, dir] = args.as_slice() && (role == "sandbox" || role == "init") {
        let _ = countersign_oracle::sandbox::serve(role, Path::new(stub), Path::new(dir));
        return std::process::ExitCode::SUCCESS;
    }
    let mut s = match countersign_oracle::sandbox::Sandbox::start() { Ok(s) => s, Err(e) => { eprintln!("{e}"); return 1.into(); } };
    for a in &args {
        eprintln!("{:?}", s.run(countersign_oracle::sandbox::RunBy::Bash, a, 1000));
        eprintln!("{:?}", s.run(countersign_oracle::sandbox::RunBy::Dash, a, 1000));
    }
    let t = std::time::Instant::now();
    for _ in 0..1000 { let _ = s.run(countersign_oracle::sandbox::RunBy::Bash, "git status; echo a > out/x; ls | rm x", 1000); }
    eprintln!("{:?}/1000 bash", t.elapsed());
    let t = std::time::Instant::now();
    for _ in 0..1000 { let _ = s.run(countersign_oracle::sandbox::RunBy::Dash, "git status; echo a > out/x; ls | rm x", 1000); }
    eprintln!("{:?}/1000 dash", t.elapsed());
    0.into()
}
