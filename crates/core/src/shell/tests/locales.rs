//! Character sets in which other bytes are letters than the prover reads.

use super::super::DoubtReason;
use super::{all_known, never_allowed};

#[test]
fn another_character_set_makes_the_rest_unknown() {
    never_allowed(
        DoubtReason::Locale,
        &[
            "LC_ALL=zh_CN.GBK\necho 中\\' '; touch CODE; ' 中\\'",
            "export LC_CTYPE=ja_JP.SJIS",
            "LANG=zh_TW.Big5; ls",
            "LANG=en_US; ls",
            "LC_ALL=$x; ls",
            "env LC_ALL=zh_CN.GB18030 ls",
            "env LC_ALL=\"$x\" ls",
            "read LC_ALL",
            "for LC_ALL in a; do ls; done",
            "printf -v LANG a",
            "LOCPATH=/tmp/x ls",
            "NLSPATH=/tmp/%N ls",
            "CHARSET=GBK ls",
            "TEXTDOMAINDIR=. ls",
        ],
    );
    all_known(&[
        "LC_ALL=C sort f",
        "LC_ALL=C.UTF-8; ls",
        "export LANG=en_US.UTF-8",
        "LANG=de_DE.utf8 ls",
        "env LC_ALL=POSIX ls",
        "LC_ALL= ls",
        "LANGUAGE=en ls",
    ]);
}
