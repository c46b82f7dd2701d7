//! Programs that fetch addresses, and send to them.

use super::spec::{Dynamic, Operands::*, Program, Use, flags, maybe, value};
use super::walk::{Part, Walk};
use super::words;
use crate::shell::{Access, Piece, Word};

const DIRECTORY: u8 = 0;
const NAMED: u8 = 1;
const REMOTE_NAME: u8 = 2;
const SERVER_NAMES: u8 = 3;
const PLAIN_URLS: u8 = 4;
const RECURSIVE: u8 = 5;
const ADDRESS: u8 = 6;

pub(super) static PROGRAMS: &[Program] = &[
    Program::new(&["curl"], Look(curl)).dynamic(Dynamic::Leading).closed().rows(&[
        value("K", "config", Use::RunsFile),
        // Code that is loaded, and other machines than the address says.
        value("", "engine resolve connect-to", Use::Runs),
        value("o", "output", Use::Keep(NAMED)),
        value("", "output-dir", Use::Keep(DIRECTORY)),
        flags("O", "remote-name remote-name-all", Use::Keep(REMOTE_NAME)),
        flags("J", "remote-header-name", Use::Keep(SERVER_NAMES)),
        flags("g", "globoff", Use::Keep(PLAIN_URLS)),
        value("", "url", Use::Keep(ADDRESS)),
        value("cD", "cookie-jar dump-header trace trace-ascii stderr libcurl etag-save", Use::Write),
        value("", "hsts alt-svc ssl-sessions", Use::Change),
        value("T", "upload-file", Use::Read),
        value("", "cacert crlfile key pubkey netrc-file random-file egd-file etag-compare proxy-cacert proxy-crlfile \
                   proxy-key knownhosts", Use::Read),
        value("", "capath proxy-capath", Use::ReadBelow),
        value("", "unix-socket", Use::Change),
        value("E", "cert proxy-cert", Use::Look(certificate)),
        value("dHw", "data data-ascii data-binary json header proxy-header write-out url-query", Use::Look(at_file)),
        value("", "data-urlencode variable", Use::Look(named_at_file)),
        value("F", "form", Use::Look(form)),
        value("b", "cookie", Use::Look(cookie)),
        value("x", "proxy preproxy proxy1.0 socks4 socks4a socks5 socks5-hostname doh-url dns-servers haproxy-clientip",
              Use::Url),
        value(
            "CAePQXUYmrtuyz",
            "abstract-unix-socket aws-sigv4 cert-type ciphers connect-timeout continue-at create-file-mode curves data-raw \
             delegation dns-interface dns-ipv4-addr dns-ipv6-addr expect100-timeout form-string ftp-account \
             ftp-alternative-to-user ftp-method ftp-port ftp-ssl-ccc-mode happy-eyeballs-timeout-ms hostpubmd5 \
             hostpubsha256 interface ip-tos ipfs-gateway keepalive-cnt keepalive-time key-type krb limit-rate local-port \
             login-options mail-auth mail-from mail-rcpt max-filesize max-redirs max-time noproxy oauth2-bearer \
             parallel-max parallel-max-host pass pinnedpubkey proto proto-default proto-redir proxy-cert-type \
             proxy-ciphers proxy-key-type proxy-pass proxy-pinnedpubkey proxy-service-name proxy-tls13-ciphers \
             proxy-tlsauthtype proxy-tlspassword proxy-tlsuser proxy-user quote range rate referer request request-target \
             retry retry-delay retry-max-time sasl-authzid service-name socks5-gssapi-service speed-limit speed-time \
             telnet-option tftp-blksize time-cond tls-max tls13-ciphers tlsauthtype tlspassword tlsuser trace-config \
             upload-flags user user-agent vlan-priority dns-ttl sigalgs ech",
            Use::Nothing,
        ),
        maybe("h", "help", Use::Nothing),
        flags(
            "#0123469:BGIJLMNRSVZafijklnpqsv",
            "anyauth append basic ca-native cert-status compressed compressed-ssh create-dirs crlf digest disable \
             disable-eprt disable-epsv disallow-username-in-url doh-cert-status doh-insecure eprt epsv fail fail-early \
             fail-with-body false-start form-escape ftp-create-dirs ftp-pasv ftp-pret ftp-skip-pasv-ip ftp-ssl-ccc \
             ftp-ssl-control get haproxy-protocol head http0.9 http1.0 http1.1 http2 http2-prior-knowledge http3 http3-only \
             ignore-content-length include insecure ipv4 ipv6 junk-session-cookies keepalive list-only location \
             location-trusted mail-rcpt-allowfails manual metalink negotiate netrc netrc-optional next no-alpn alpn \
             no-buffer buffer no-clobber clobber no-keepalive no-npn no-progress-meter progress-meter no-sessionid sessionid \
             ntlm ntlm-wb parallel parallel-immediate path-as-is post301 post302 post303 progress-bar proxy-anyauth \
             proxy-basic proxy-ca-native proxy-digest proxy-http2 proxy-insecure proxy-negotiate proxy-ntlm \
             proxy-ssl-allow-beast proxy-ssl-auto-client-cert proxy-tlsv1 proxytunnel raw remote-time remove-on-error \
             retry-all-errors retry-connrefused sasl-ir show-error show-headers silent skip-existing socks5-basic \
             socks5-gssapi socks5-gssapi-nec ssl ssl-allow-beast ssl-auto-client-cert ssl-no-revoke ssl-reqd \
             ssl-revoke-best-effort sslv2 sslv3 styled-output suppress-connect-headers tcp-fastopen tcp-nodelay \
             tftp-no-options tls-earlydata tlsv1 tlsv1.0 tlsv1.1 tlsv1.2 tlsv1.3 tr-encoding trace-ids trace-time use-ascii \
             verbose version xattr mptcp no-location no-fail no-silent no-include no-insecure no-compressed",
            Use::Nothing,
        ),
    ]),
    Program::new(&["wget", "wget2"], Look(wget)).dynamic(Dynamic::Leading).rows(&[
        value("e", "execute use-askpass", Use::Runs),
        value("", "config", Use::RunsFile),
        value("O", "output-document", Use::Keep(NAMED)),
        value("P", "directory-prefix", Use::Keep(DIRECTORY)),
        flags("rmpxK", "recursive mirror page-requisites force-directories backup-converted", Use::Keep(RECURSIVE)),
        flags("", "content-disposition trust-server-names", Use::Keep(SERVER_NAMES)),
        value("oa", "output-file append-output rejected-log save-cookies warc-file warc-tempdir", Use::Write),
        value("", "hsts-file", Use::Change),
        value("i", "input-file", Use::Look(list)),
        value("", "load-cookies post-file body-file certificate private-key ca-certificate crl-file warc-dedup", Use::Read),
        value("", "ca-directory", Use::ReadBelow),
        value("B", "base", Use::Keep(ADDRESS)),
        value(
            "tTwQUlARDIX",
            "tries timeout wait quota user-agent level accept reject domains include-directories exclude-directories \
             retry-on-http-error start-pos progress dns-timeout connect-timeout read-timeout waitretry bind-address \
             limit-rate restrict-file-names prefer-family user password local-encoding remote-encoding cut-dirs http-user \
             http-password default-page header compression max-redirect proxy-user proxy-password referer post-data method \
             body-data secure-protocol certificate-type private-key-type pinnedpubkey ciphers ftp-user ftp-password \
             warc-header warc-max-size backups accept-regex reject-regex regex-type exclude-domains follow-tags ignore-tags \
             report-speed",
            Use::Nothing,
        ),
        maybe("n", "", Use::Nothing),
    ]),
    Program::new(&["http", "https", "xh", "xhs"], Look(httpie)).rows(&[
        value("o", "output", Use::Write),
        value("", "session session-read-only", Use::Change),
        value("", "cert cert-key verify", Use::Read),
        value("", "proxy", Use::Url),
        value("aApP", "auth auth-type print style pretty format-options timeout max-redirects", Use::Nothing),
    ]),
    Program::new(&["aria2c", "axel", "lynx", "w3m", "links", "elinks", "youtube-dl", "yt-dlp"], All(Use::Url))
        .here(Use::Nothing)
        .dynamic(Dynamic::Leading)
        .rows(&[
            value(
                "",
                "on-download-complete on-download-start on-download-stop on-download-error on-download-pause \
                 on-bt-download-complete exec exec-before-download downloader external-downloader netrc-cmd \
                 plugin-dirs ffmpeg-location postprocessor-args use-postprocessor",
                Use::Runs,
            ),
            value("", "conf-path config-location config-locations cfg cmd_script", Use::RunsFile),
            value("oPl", "out log output paths save-session", Use::Write),
            value("d", "dir", Use::WriteBelow),
            value("iaM", "input-file batch-file torrent-file cookies load-cookies", Use::Read),
            value("jsxkft", "split max-connection-per-server max-concurrent-downloads format", Use::Nothing),
        ]),
];

/// `@file`: the rest is read.
fn at_file(walk: &mut Walk, part: Part) {
    let word = walk.word(part);
    if words::beginning(&word).starts_with('@') {
        walk.apply(Use::Read, Part { arg: part.arg, skip: part.skip + 1 }, 0);
    } else if words::begins_unknown(&word) {
        walk.path(part.arg, Access::Read, words::unknown(&word), false);
    }
}

/// `name@file`, without a `=` before.
fn named_at_file(walk: &mut Walk, part: Part) {
    let word = walk.word(part);
    let begins = words::beginning(&word);
    match begins.find(['@', '=']) {
        Some(at) if begins[at..].starts_with('@') => {
            walk.apply(Use::Read, Part { arg: part.arg, skip: part.skip + at + 1 }, 0);
        }
        None if word.literal().is_none() => {
            walk.path(part.arg, Access::Read, words::unknown(&word), false)
        }
        _ => {}
    }
}

/// `name=@file`, `name=<file`, with `,` and `;` between several files and their types.
fn form(walk: &mut Walk, part: Part) {
    let word = walk.word(part);
    let Some(text) = word.literal() else {
        return walk.path(part.arg, Access::Read, words::unknown(&word), false);
    };
    let content = text.split_once('=').map_or("", |(_, content)| content);
    if content.starts_with('@') || content.starts_with('<') {
        for name in content.get(1..).unwrap_or("").split([',', ';']) {
            let name = name.trim_matches('"');
            walk.path(part.arg, Access::Read, words::text(&word, name), false);
        }
    }
    for piece in content.split(';').filter_map(|piece| piece.strip_prefix("headers=@")) {
        walk.path(part.arg, Access::Read, words::text(&word, piece), false);
    }
}

/// A name of a file unless there is a `=` in it.
fn cookie(walk: &mut Walk, part: Part) {
    if !words::beginning(&walk.word(part)).contains('=') {
        walk.apply(Use::Read, part, 0);
    }
}

/// `file[:password]`
fn certificate(walk: &mut Walk, part: Part) {
    let word = walk.word(part);
    match word.literal().and_then(|text| text.split_once(':')) {
        Some((file, _)) => walk.path(part.arg, Access::Read, words::text(&word, file), false),
        None => walk.apply(Use::Read, part, 0),
    }
}

/// `-i`: the list is read, or fetched, and what it names is not known.
fn list(walk: &mut Walk, part: Part) {
    walk.apply(Use::Read, part, 0);
    let unknown = words::unknown(walk.place(part.arg));
    walk.effects.urls.push((part.arg, unknown));
}

/// An address, and the file that a `file:` address is.
fn address(walk: &mut Walk, part: Part) -> Word {
    let mut word = walk.word(part);
    if walk.kept(PLAIN_URLS).is_none() && walk.program.names.contains(&"curl") {
        let wild = words::beginning(&word).find(['{', '[']);
        // Brackets around the host are an address of IPv6.
        let wild = wild.filter(|at| {
            !words::beginning(&word)[..*at].ends_with("//")
                || words::beginning(&word)[*at..].starts_with('{')
        });
        if let Some(at) = wild
            && let Some(Piece::Text(text)) = word.pieces.first_mut()
        {
            text.truncate(at);
            word.pieces.truncate(1);
            word.pieces.push(Piece::Unknown { splits: false });
        }
    }
    let begins = words::beginning(&word);
    if begins.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("file:")) {
        let rest = begins.get(5..).unwrap_or("");
        let path = rest
            .strip_prefix("//")
            .map_or(rest, |rest| rest.find('/').map_or("", |at| &rest[at..]));
        let skip = part.skip + begins.len() - path.len();
        let mut target = walk.word(Part { arg: part.arg, skip });
        if begins.contains('%') {
            target = words::unknown(&target);
        }
        walk.path(part.arg, Access::Read, target, false);
    }
    walk.effects.urls.push((part.arg, word.clone()));
    word
}

/// The name that a download is given: the last part of the address.
fn download_name(address: &Word, query: bool) -> Word {
    let Some(text) = address.literal() else { return words::unknown(address) };
    let text = text.split_once("://").map_or(text, |(_, rest)| rest);
    let text = text.split('#').next().unwrap_or("");
    let text = if query { text } else { text.split('?').next().unwrap_or("") };
    match text.split_once('/').map(|(_, path)| path.rsplit('/').next().unwrap_or("")) {
        None | Some("") => words::text(address, "index.html"),
        Some(name) if name.contains('%') => words::unknown(address),
        Some(name) => words::text(address, name),
    }
}

fn addresses(walk: &mut Walk) -> Vec<Part> {
    let operands = std::mem::take(&mut walk.operands).into_iter();
    let mut parts: Vec<Part> = operands.map(|operand| Part { arg: operand.arg, skip: 0 }).collect();
    parts.extend(walk.all_kept(ADDRESS));
    parts
}

fn download(walk: &mut Walk, arg: usize, name: &Word) {
    let target = match walk.kept(DIRECTORY) {
        Some(directory) => words::join(&walk.word(directory), name),
        None => name.clone(),
    };
    walk.path(arg, Access::Write, target, false);
}

fn curl(walk: &mut Walk) {
    for part in addresses(walk) {
        let address = address(walk, part);
        if let Some(flag) = walk.kept(REMOTE_NAME) {
            let name = match walk.kept(SERVER_NAMES) {
                Some(_) => words::unknown(&address),
                None => download_name(&address, false),
            };
            download(walk, flag.arg, &name);
        }
    }
    for part in walk.all_kept(NAMED) {
        let name = walk.word(part);
        if name.literal() != Some("-") {
            download(walk, part.arg, &name);
        }
    }
}

fn wget(walk: &mut Walk) {
    for part in addresses(walk) {
        let address = address(walk, part);
        if walk.kept(NAMED).is_none() {
            let name = match walk.kept(SERVER_NAMES) {
                Some(_) => words::unknown(&address),
                None => download_name(&address, true),
            };
            download(walk, part.arg, &name);
        }
    }
    for part in walk.all_kept(NAMED) {
        walk.apply(Use::Write, part, 0);
    }
    if let Some(flag) = walk.kept(RECURSIVE) {
        match walk.kept(DIRECTORY) {
            Some(directory) => walk.apply(Use::WriteBelow, directory, 0),
            None => {
                walk.path(flag.arg, Access::Write, words::text(walk.place(flag.arg), "."), true)
            }
        }
    }
}

/// `[METHOD] URL [item…]`, where an item can have `@file`, `=@file` or `:=@file`.
fn httpie(walk: &mut Walk) {
    let mut found = false;
    for operand in std::mem::take(&mut walk.operands) {
        let word = walk.place(operand.arg);
        let method =
            word.literal().is_some_and(|text| text.chars().all(|char| char.is_ascii_uppercase()));
        if !found && !method {
            found = true;
            walk.operand_is(operand, Use::Url);
        } else if let Some(at) = words::beginning(word).find('@') {
            walk.apply(Use::Read, Part { arg: operand.arg, skip: at + 1 }, 0);
        } else if word.literal().is_none() {
            walk.path(operand.arg, Access::Read, words::unknown(word), false);
        }
    }
}
