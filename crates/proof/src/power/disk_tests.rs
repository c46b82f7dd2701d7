use super::*;

fn empty() -> SimulatedDisk<'static> {
    SimulatedDisk::new(Path::new("/d"), &DiskImage::default()).unwrap()
}

fn disk(events: &[DiskEvent<'static>]) -> SimulatedDisk<'static> {
    let mut disk = empty();
    events.iter().for_each(|event| disk.apply(event).unwrap());
    disk
}

/// The file after a cut, in each of many throws of the dice; `None`: it is not there.
fn outcomes(disk: &SimulatedDisk<'_>, mode: CutMode, file: &str) -> Vec<Option<Vec<u8>>> {
    let mut random = Rng::with_seed(1);
    let mut all: Vec<_> = (0..500)
        .map(|_| disk.after_a_cut(mode, &mut random).files.get(Path::new(file)).cloned())
        .collect();
    all.sort();
    all.dedup();
    all
}

fn create(path: &'static str, inode: u64) -> DiskEvent<'static> {
    DiskEvent::Create { path: Path::new(path), inode }
}

fn write(at: u64, data: &'static [u8]) -> DiskEvent<'static> {
    DiskEvent::Write { inode: 1, at, data }
}

const SYNC: DiskEvent<'static> = DiskEvent::Sync { inode: 1 };

fn sync_dir(path: &'static str) -> DiskEvent<'static> {
    DiskEvent::SyncDir { path: Path::new(path) }
}

#[test]
fn what_was_synced_is_there_in_every_mode() {
    let synced = disk(&[create("/d/a", 1), sync_dir("/d"), write(0, b"one"), SYNC]);
    for mode in CutMode::ALL {
        assert_eq!(outcomes(&synced, mode, "a"), [Some(b"one".to_vec())]);
    }
}

#[test]
fn what_was_not_synced_may_be_lost_or_kept() {
    let late = disk(&[
        create("/d/a", 1),
        sync_dir("/d"),
        write(0, b"one"),
        SYNC,
        write(3, b"two"),
        write(6, b"six"),
    ]);
    let text = |text: &[u8]| Some(text.to_vec());
    assert_eq!(outcomes(&late, CutMode::Dropped, "a"), [text(b"one")]);
    let any = [text(b"one"), text(b"one\0\0\0six"), text(b"onetwo"), text(b"onetwosix")];
    assert_eq!(outcomes(&late, CutMode::Reordered, "a"), any);
    assert_eq!(outcomes(&late, CutMode::Torn, "a"), any);
}

#[test]
fn a_write_is_torn_at_sectors() {
    static LONG: [u8; 1000] = [7; 1000];
    let torn = disk(&[create("/d/a", 1), sync_dir("/d"), write(100, &LONG)]);
    let shapes: Vec<Vec<usize>> = outcomes(&torn, CutMode::Torn, "a")
        .into_iter()
        .flatten()
        // How many bytes of each of the three sectors arrived.
        .map(|bytes| {
            bytes
                .chunks(512)
                .map(|sector| sector.iter().filter(|byte| **byte == 7).count())
                .collect()
        })
        .collect();
    assert!(shapes.contains(&vec![]) && shapes.contains(&vec![412, 512, 76]));
    assert!(shapes.contains(&vec![412, 0, 76]) && shapes.contains(&vec![0, 512]));
    assert_eq!(shapes.len(), 8);
    assert_eq!(outcomes(&torn, CutMode::Reordered, "a").len(), 2);
}

#[test]
fn a_length_is_a_change_like_any_other() {
    let cut = disk(&[
        create("/d/a", 1),
        sync_dir("/d"),
        write(0, b"long"),
        SYNC,
        DiskEvent::Truncate { inode: 1, length: 1 },
    ]);
    assert_eq!(outcomes(&cut, CutMode::Dropped, "a"), [Some(b"long".to_vec())]);
    assert_eq!(outcomes(&cut, CutMode::Torn, "a"), [Some(b"l".to_vec()), Some(b"long".to_vec())]);
}

#[test]
fn a_name_lasts_once_its_folder_was_synced() {
    let events = [create("/d/a", 1), write(0, b"x"), SYNC];
    assert_eq!(outcomes(&disk(&events), CutMode::Dropped, "a"), [None]);
    assert_eq!(outcomes(&disk(&events), CutMode::Torn, "a"), [None, Some(b"x".to_vec())]);

    let replaced = [
        &events[..],
        &[sync_dir("/d"), create("/d/b", 2), DiskEvent::Write { inode: 2, at: 0, data: b"new" }],
        &[DiskEvent::Sync { inode: 2 }],
        &[DiskEvent::Rename { from: Path::new("/d/b"), to: Path::new("/d/a") }],
    ]
    .concat();
    let both = [Some(b"new".to_vec()), Some(b"x".to_vec())];
    assert_eq!(outcomes(&disk(&replaced), CutMode::Dropped, "a"), both[1..]);
    assert_eq!(outcomes(&disk(&replaced), CutMode::Reordered, "a"), both);
    let synced = disk(&[&replaced[..], &[sync_dir("/d")]].concat());
    assert_eq!(outcomes(&synced, CutMode::Torn, "a"), both[..1]);
    assert_eq!(outcomes(&synced, CutMode::Torn, "b"), [None]);

    let gone = disk(
        &[&events[..], &[sync_dir("/d"), DiskEvent::Unlink { path: Path::new("/d/a") }]].concat(),
    );
    assert_eq!(outcomes(&gone, CutMode::Dropped, "a"), [Some(b"x".to_vec())]);
    assert_eq!(outcomes(&gone, CutMode::Torn, "a"), [None, Some(b"x".to_vec())]);
}

#[test]
fn what_is_in_a_lost_folder_is_lost() {
    let events =
        [DiskEvent::MakeDir { path: Path::new("/d/s") }, create("/d/s/a", 1), sync_dir("/d/s")];
    assert_eq!(outcomes(&disk(&events), CutMode::Dropped, "s/a"), [None]);
    let synced = disk(&[&events[..], &[sync_dir("/d")]].concat());
    assert_eq!(outcomes(&synced, CutMode::Dropped, "s/a"), [Some(vec![])]);
    assert_eq!(synced.after_a_cut(CutMode::Dropped, &mut Rng::new()).folders, [Path::new("s")]);
}

#[test]
fn the_cache_of_sqlite_is_never_there() {
    let disk = disk(&[create("/d/x.db-shm", 1), sync_dir("/d"), write(0, b"x"), SYNC]);
    assert_eq!(outcomes(&disk, CutMode::Torn, "x.db-shm"), [None]);
}

#[test]
fn what_is_not_modelled_is_refused() {
    let path = Path::new("/d/a");
    for event in [
        write(0, b"to a file that nobody made"),
        DiskEvent::Unmodelled { path, function: "mmap" },
        create("/elsewhere", 1),
        DiskEvent::Rename { from: path, to: path },
    ] {
        assert!(empty().apply(&event).is_err(), "{event:?}");
    }
}

#[test]
fn what_a_cut_has_left_is_what_goes_on() {
    let folder = crate::process::TemporaryFolder::new(None).unwrap();
    let root = folder.path("disk");
    let first = disk(&[create("/d/a", 1), sync_dir("/d"), write(0, b"one"), SYNC]);
    let left = first.after_a_cut(CutMode::Dropped, &mut Rng::new());
    left.write(&root).unwrap();
    let mut second = SimulatedDisk::new(&root, &left).unwrap();
    let file = inode(&root.join("a")).unwrap();
    second.apply(&DiskEvent::Write { inode: file, at: 3, data: b"two" }).unwrap();
    assert_eq!(outcomes(&second, CutMode::Dropped, "a"), [Some(b"one".to_vec())]);
    second.apply(&DiskEvent::Sync { inode: file }).unwrap();
    assert_eq!(outcomes(&second, CutMode::Torn, "a"), [Some(b"onetwo".to_vec())]);
    let name = root.join("a");
    second.apply(&DiskEvent::Unlink { path: &name }).unwrap();
    assert_eq!(outcomes(&second, CutMode::Dropped, "a"), [Some(b"onetwo".to_vec())]);
}
