//! Connections to the caller's proxy, carried out of a network that nothing else is in.
//!
//! The socket that listens is of the command's network, these threads are outside of it: each connection that comes is joined
//! with one to the proxy out here, which listens on the same port or on a socket with a path.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread;

/// How many connections are carried at once. More of them wait: each one takes two threads.
const MOST: usize = 256;

/// Where the proxy listens.
#[derive(Debug, Clone)]
pub(crate) enum Outside {
    /// On this port of 127.0.0.1.
    Port(u16),
    /// On this socket, wherever its name leads by now: the command may be able to put another one there.
    Socket(Arc<OwnedFd>),
}

/// Carries until this process ends.
pub(crate) fn start(listener: TcpListener, outside: Outside) -> io::Result<()> {
    let (enter, leave) = sync_channel::<()>(MOST);
    let leave = Arc::new(Mutex::new(leave));
    let carry = move || {
        for inside in listener.incoming().flatten() {
            if enter.send(()).is_err() {
                return;
            }
            let (outside, place) = (outside.clone(), Place(Arc::clone(&leave)));
            let one = move || {
                let _place = place;
                // A proxy that is not there looks to the command like one that hangs up.
                let _ = connect(inside, &outside);
            };
            // Where there is no thread for it, it is hung up.
            let _ = thread::Builder::new().spawn(one);
        }
    };
    thread::Builder::new().spawn(carry).map(drop)
}

/// That of a connection among all of them.
struct Place(Arc<Mutex<Receiver<()>>>);

impl Drop for Place {
    fn drop(&mut self) {
        let _ = self.0.lock().map(|leave| leave.try_recv());
    }
}

fn connect(inside: TcpStream, outside: &Outside) -> io::Result<()> {
    match outside {
        Outside::Port(port) => join(inside, TcpStream::connect((Ipv4Addr::LOCALHOST, *port))?),
        Outside::Socket(socket) => {
            let held = format!("/proc/self/fd/{}", socket.as_raw_fd());
            join(inside, UnixStream::connect(held)?)
        }
    }
}

/// A connection whose two ways can be used, and ended, each by itself.
trait Stream: Read + Write + Send + Sized + 'static {
    fn copy(&self) -> io::Result<Self>;
    fn end(&self, way: Shutdown);
}

impl Stream for TcpStream {
    fn copy(&self) -> io::Result<Self> {
        self.try_clone()
    }

    fn end(&self, way: Shutdown) {
        let _ = self.shutdown(way);
    }
}

impl Stream for UnixStream {
    fn copy(&self) -> io::Result<Self> {
        self.try_clone()
    }

    fn end(&self, way: Shutdown) {
        let _ = self.shutdown(way);
    }
}

fn join<A: Stream, B: Stream>(inside: A, outside: B) -> io::Result<()> {
    let (inside_too, outside_too) = (inside.copy()?, outside.copy()?);
    let back = thread::Builder::new().spawn(move || pump(outside_too, inside_too))?;
    pump(inside, outside);
    let _ = back.join();
    Ok(())
}

/// Until one side is done; the other is told that no more comes.
fn pump(mut from: impl Stream, mut to: impl Stream) {
    let _ = io::copy(&mut from, &mut to);
    to.end(Shutdown::Write);
    from.end(Shutdown::Read);
}
