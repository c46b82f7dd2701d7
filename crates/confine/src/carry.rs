//! Connections to the caller's proxy, carried out of a network that nothing else is in.
//!
//! The socket that listens is in the command's network, these threads are outside of it: each connection that comes is joined
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

/// The address on which the proxy listens, outside of the command's network.
#[derive(Debug, Clone)]
pub(crate) enum ProxyAddress {
    /// This port of 127.0.0.1.
    Port(u16),
    /// This socket with a path, held by a descriptor: the command may be able to put another one at its path.
    Socket(Arc<OwnedFd>),
}

/// Carries connections until this process ends.
pub(crate) fn start(listener: TcpListener, proxy: ProxyAddress) -> io::Result<()> {
    let (enter, leave) = sync_channel::<()>(MOST);
    let leave = Arc::new(Mutex::new(leave));
    let carry = move || {
        for inside in listener.incoming().flatten() {
            if enter.send(()).is_err() {
                return;
            }
            let (proxy, slot) = (proxy.clone(), ConnectionSlot(Arc::clone(&leave)));
            let one = move || {
                let _place = slot;
                // A proxy that is not there looks to the command like one that hangs up.
                let _ = connect(inside, &proxy);
            };
            // Where there is no thread for it, it is hung up.
            let _ = thread::Builder::new().spawn(one);
        }
    };
    thread::Builder::new().spawn(carry).map(drop)
}

/// A connection's slot among the [`MOST`] that are carried at once. It is freed on drop.
struct ConnectionSlot(Arc<Mutex<Receiver<()>>>);

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        let _ = self.0.lock().map(|leave| leave.try_recv());
    }
}

fn connect(inside: TcpStream, proxy: &ProxyAddress) -> io::Result<()> {
    match proxy {
        ProxyAddress::Port(port) => join(inside, TcpStream::connect((Ipv4Addr::LOCALHOST, *port))?),
        ProxyAddress::Socket(socket) => {
            let held = format!("/proc/self/fd/{}", socket.as_raw_fd());
            join(inside, UnixStream::connect(held)?)
        }
    }
}

/// A connection whose two directions can be used, and shut down, independently.
trait DuplexStream: Read + Write + Send + Sized + 'static {
    fn copy(&self) -> io::Result<Self>;
    fn end(&self, way: Shutdown);
}

impl DuplexStream for TcpStream {
    fn copy(&self) -> io::Result<Self> {
        self.try_clone()
    }

    fn end(&self, way: Shutdown) {
        let _ = self.shutdown(way);
    }
}

impl DuplexStream for UnixStream {
    fn copy(&self) -> io::Result<Self> {
        self.try_clone()
    }

    fn end(&self, way: Shutdown) {
        let _ = self.shutdown(way);
    }
}

fn join<A: DuplexStream, B: DuplexStream>(inside: A, proxy: B) -> io::Result<()> {
    let (inside_too, outside_too) = (inside.copy()?, proxy.copy()?);
    let back = thread::Builder::new().spawn(move || pump(outside_too, inside_too))?;
    pump(inside, proxy);
    let _ = back.join();
    Ok(())
}

/// Copies until one side ends, and shuts the other side down.
fn pump(mut from: impl DuplexStream, mut to: impl DuplexStream) {
    let _ = io::copy(&mut from, &mut to);
    to.end(Shutdown::Write);
    from.end(Shutdown::Read);
}
