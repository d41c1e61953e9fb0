//! A connection on which one request follows the other.

use std::io;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::request::{PATIENCE, Request, status_and_length};

pub(crate) struct Connection {
    stream: TcpStream,
    request: Vec<u8>,
    answer: Vec<u8>,
}

impl Connection {
    pub(crate) async fn open(port: u16) -> io::Result<Self> {
        let stream = TcpStream::connect(("127.0.0.1", port)).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, request: vec![], answer: Vec::with_capacity(16 * 1024) })
    }

    /// Sends a request, waits for the answer, which must have a content length, and returns its status.
    pub(crate) async fn send(&mut self, request: &Request) -> io::Result<u16> {
        self.request.clear();
        request.write_to(&mut self.request);
        self.stream.write_all(&self.request).await?;
        tokio::time::timeout(PATIENCE, self.read()).await?
    }

    /// Returns the last answer, with its head.
    pub(crate) fn answer(&self) -> &[u8] {
        &self.answer
    }

    /// Returns the body of the last answer.
    pub(crate) fn body(&self) -> &[u8] {
        let head = self.answer.windows(4).position(|four| four == b"\r\n\r\n");
        head.map_or(&[], |head| &self.answer[head + 4..])
    }

    async fn read(&mut self) -> io::Result<u16> {
        self.answer.clear();
        let mut whole = None;
        loop {
            if self.stream.read_buf(&mut self.answer).await? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            whole = whole.or_else(|| status_and_length(&self.answer));
            if let Some((status, length)) = whole
                && self.answer.len() >= length
            {
                return Ok(status);
            }
        }
    }
}
