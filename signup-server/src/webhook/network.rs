//! What a request needs of the operating system: names looked up, and connections.

use std::fmt::Debug;
use std::io;
use std::net::SocketAddr;

use futures_util::future::BoxFuture;
use tokio::net::TcpStream;

/// Looks up names and opens connections. Tests replace it.
///
/// The two steps are apart, so that a connection goes to an address that was checked, and to no other.
pub(super) trait Network: Debug + Send + Sync {
    /// Returns every address of a host name, with `port`, in the order in which they are tried.
    fn resolve<'a>(&'a self, host: &'a str, port: u16) -> BoxFuture<'a, io::Result<Vec<SocketAddr>>>;

    /// Connects to an address.
    fn connect(&self, address: SocketAddr) -> BoxFuture<'_, io::Result<TcpStream>>;
}

/// The network of the operating system, with the names of its resolver. No proxy is used.
#[derive(Debug)]
pub(super) struct SystemNetwork;

impl Network for SystemNetwork {
    fn resolve<'a>(&'a self, host: &'a str, port: u16) -> BoxFuture<'a, io::Result<Vec<SocketAddr>>> {
        Box::pin(async move { Ok(tokio::net::lookup_host((host, port)).await?.collect()) })
    }

    fn connect(&self, address: SocketAddr) -> BoxFuture<'_, io::Result<TcpStream>> {
        Box::pin(async move {
            let stream = TcpStream::connect(address).await?;
            stream.set_nodelay(true)?;
            Ok(stream)
        })
    }
}
