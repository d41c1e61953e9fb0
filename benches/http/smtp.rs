//! A mail server that counts the mails to each address, and answers each command after a pause.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;

use crate::request::PATIENCE;

/// A running mail server. It ends with its runtime.
pub(crate) struct MailServer {
    pub(crate) url: String,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    /// The number of mails to each address.
    mails: HashMap<String, u64>,
    /// The time before each answer. It stands for a slow mail server.
    pause: Duration,
}

impl MailServer {
    pub(crate) fn start(runtime: &Runtime) -> Self {
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let url = format!("smtp://{}", listener.local_addr().unwrap());
        let state = Arc::<Mutex<State>>::default();
        let server = Self { url, state: Arc::clone(&state) };
        drop(runtime.spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                drop(tokio::spawn(serve(stream, Arc::clone(&state))));
            }
        }));
        server
    }

    /// Sets the pause before each answer.
    pub(crate) fn set_pause(&self, pause: Duration) {
        self.state.lock().unwrap().pause = pause;
    }

    /// Returns the number of mails to each of these addresses.
    pub(crate) fn mails(&self, is_address: impl Fn(&str) -> bool) -> Vec<u64> {
        let state = self.state.lock().unwrap();
        let mails = state.mails.iter().filter(|(address, _)| is_address(address));
        mails.map(|(_, count)| *count).collect()
    }

    /// Waits until `count`, which grows, is at least `least`.
    ///
    /// # Panics
    /// Panics if the count stays the same for [`PATIENCE`].
    pub(crate) fn wait_for(&self, least: u64, count: impl Fn(&Self) -> u64) {
        let (mut last, mut since) = (0, Instant::now());
        while last < least {
            assert!(since.elapsed() < PATIENCE, "only {last} of {least} mails arrived");
            std::thread::sleep(Duration::from_millis(5));
            let now = count(self);
            if now != last {
                (last, since) = (now, Instant::now());
            }
        }
    }
}

/// Takes mails until the client ends the connection.
async fn serve(stream: TcpStream, state: Arc<Mutex<State>>) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut stream = BufReader::new(stream);
    let (mut answer, mut line, mut to) = ("220 mail.example.org\r\n", String::new(), String::new());
    loop {
        let pause = state.lock().unwrap().pause;
        tokio::time::sleep(pause).await;
        stream.write_all(answer.as_bytes()).await?;
        line.clear();
        if stream.read_line(&mut line).await? == 0 {
            return Ok(());
        }
        answer = "250 ok\r\n";
        if let Some(address) = line.strip_prefix("RCPT TO:<") {
            to = address.trim_end().trim_end_matches('>').to_owned();
        } else if line.starts_with("DATA") {
            tokio::time::sleep(pause).await;
            stream.write_all(b"354 go on\r\n").await?;
            while line != ".\r\n" {
                line.clear();
                if stream.read_line(&mut line).await? == 0 {
                    return Ok(());
                }
            }
            *state.lock().unwrap().mails.entry(to.clone()).or_default() += 1;
        }
    }
}
