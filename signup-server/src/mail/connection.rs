//! One connection to the mail server (RFC 5321): greeting, TLS, login, and mails.
//!
//! Every step demands its own answers: 354 to `DATA`, 250 to the content, and so on. Any other answer ends the connection, because
//! later answers might belong to earlier commands.
//!
//! What the failure of a step means follows from the step and the code. After the sender is accepted, 5yz refuses the recipient or
//! the mail for good, and 4yz for now, because servers use many codes for their policies. Some codes are about this client: 421,
//! with which a server closes the connection, and 53x, with which it demands a login or TLS. Any other mail would fail, too. Other
//! codes may be about this client or about the mail: 50x, as for the name in `EHLO`, and 521. The mail is tried again, and other
//! mails do not wait for it. Nor do they wait for a mail to which the server gave no answer: it may wait for the recipient's own
//! server, or has been restarted. Before that, every refusal concerns the connection.
//!
//! **Invariant:** nothing that was read before a command counts as its answer, and nothing that was read before the TLS handshake
//! is used after it. An attacker can send bytes in clear, in the same segment as the answer to `STARTTLS`.

use std::fmt;
use std::io;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use futures_util::FutureExt as _;
use tokio::io::{
    AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, BufReader,
};
use tokio::net::{TcpStream, lookup_host};
use tokio::time::timeout;
use tokio_rustls::TlsConnector;

use super::smtp::{HelloName, Login, Security, SmtpUrl};
use super::{SendError, SendErrorKind};
use crate::tls;

/// The timeout of each answer of the mail server, of connecting to each of its addresses, and of each part of a mail.
const TIMEOUT: Duration = Duration::from_secs(10);
/// The timeout of the answer to the content of a mail. A server may check and deliver the mail before it answers, and a client that
/// does not wait for the answer sends the mail again (RFC 5321, 4.5.3.2.6).
const CONTENT_TIMEOUT: Duration = Duration::from_mins(5);
/// The maximum length of a line of an answer, in bytes. RFC 5321 allows 512.
const MAX_LINE_BYTES: u64 = 2048;
/// The maximum number of lines of an answer.
const MAX_LINES: usize = 100;
/// The size of the parts in which a mail is sent, in bytes.
const PART_BYTES: usize = 16 * 1024;
/// The code with which a server refuses the user or the password.
const LOGIN_REFUSED: u16 = 535;

/// A connection over which mails can be sent.
pub(super) struct Connection {
    stream: BufReader<Box<dyn Stream>>,
    /// [`CONTENT_TIMEOUT`], except in tests.
    content_timeout: Duration,
    /// The extensions of the server, as its answer to `EHLO` lists them.
    extensions: Vec<String>,
}

trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

/// The addresses of a mail as the mail server receives them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Envelope<'m> {
    pub(super) from: &'m str,
    pub(super) to: &'m str,
}

/// What a command belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// The connection, `EHLO` and `STARTTLS`.
    Connection,
    Login,
    Sender,
    /// The recipient or the content.
    Mail,
}

/// An answer of the mail server.
#[derive(Debug)]
struct SmtpReply {
    code: u16,
    lines: Vec<String>,
}

impl Connection {
    /// Connects, negotiates TLS as the URL requires, and logs in. Without `hello`, the name of this client is the address of its
    /// side of the connection.
    ///
    /// # Errors
    /// Fails with [`SendErrorKind::Server`].
    pub(super) async fn open(url: &SmtpUrl, hello: Option<&HelloName>) -> Result<Self, SendError> {
        let stream = connect(&url.host, url.port).await.map_err(|error| Step::Connection.broken(&error))?;
        let address = stream.local_addr().map_err(|error| Step::Connection.broken(&error))?;
        let hello = hello.cloned().unwrap_or_else(|| HelloName::literal(address.ip()));
        let stream = match url.security {
            Security::FromTheStart => encrypted(Box::new(stream), url).await?,
            _ => Box::new(stream),
        };
        let mut connection = Self::over(stream);
        connection.read(Step::Connection, &[220]).await?;
        connection.greet(&hello).await?;
        let offers_tls = connection.supports("STARTTLS");
        match url.security {
            Security::Required if !offers_tls => {
                return Err(Step::Connection.failed("the mail server does not offer STARTTLS"));
            }
            Security::Required | Security::IfOffered if offers_tls => {
                connection = connection.start_tls(url).await?;
                connection.greet(&hello).await?;
            }
            _ => {}
        }
        if let Some(login) = &url.login {
            connection.log_in(login).await?;
        }
        Ok(connection)
    }

    fn over(stream: Box<dyn Stream>) -> Self {
        Self { stream: BufReader::new(stream), content_timeout: CONTENT_TIMEOUT, extensions: vec![] }
    }

    async fn greet(&mut self, hello: &HelloName) -> Result<(), SendError> {
        let reply = self.command(Step::Connection, &format!("EHLO {}", hello.as_str()), &[250]).await?;
        self.extensions = reply.lines.into_iter().skip(1).map(|line| line.to_ascii_uppercase()).collect();
        Ok(())
    }

    fn supports(&self, extension: &str) -> bool {
        self.extensions.iter().any(|line| line.split(' ').next() == Some(extension))
    }

    /// Begins TLS. What the server said before is forgotten.
    async fn start_tls(mut self, url: &SmtpUrl) -> Result<Self, SendError> {
        self.command(Step::Connection, "STARTTLS", &[220]).await?;
        self.check_turn(Step::Connection)?;
        Ok(Self::over(encrypted(self.stream.into_inner(), url).await?))
    }

    async fn log_in(&mut self, Login { user, password }: &Login) -> Result<(), SendError> {
        let offered = self.extensions.iter().find_map(|line| line.strip_prefix("AUTH "));
        let offers = |mechanism| offered.is_some_and(|names| names.split(' ').any(|name| name == mechanism));
        if offers("PLAIN") {
            let login = STANDARD.encode(format!("\0{user}\0{password}"));
            self.command(Step::Login, &format!("AUTH PLAIN {login}"), &[235]).await?;
        } else if offers("LOGIN") {
            self.command(Step::Login, "AUTH LOGIN", &[334]).await?;
            self.command(Step::Login, &STANDARD.encode(user), &[334]).await?;
            self.command(Step::Login, &STANDARD.encode(password), &[235]).await?;
        } else {
            return Err(Step::Login.failed("the mail server offers neither PLAIN nor LOGIN"));
        }
        Ok(())
    }

    /// Returns whether the server still answers.
    pub(super) async fn is_alive(&mut self) -> bool {
        self.command(Step::Connection, "NOOP", &[250]).await.is_ok()
    }

    /// Sends a mail. The addresses and the content are ASCII, so the mail needs no extension. Each line of `content` ends with
    /// CRLF.
    ///
    /// # Errors
    /// Fails if the mail was not taken. After a failure the connection must not be used for another mail.
    pub(super) async fn send(&mut self, envelope: Envelope<'_>, content: &str) -> Result<(), SendError> {
        let Envelope { from, to } = envelope;
        self.command(Step::Sender, &format!("MAIL FROM:<{from}>"), &[250]).await?;
        self.command(Step::Mail, &format!("RCPT TO:<{to}>"), &[250, 251]).await?;
        self.command(Step::Mail, "DATA", &[354]).await?;
        let lines = content.split_inclusive('\n');
        // A dot at the start of a line is doubled, so that no line ends the mail (RFC 5321, 4.5.2).
        let transparent = lines.flat_map(|line| [if line.starts_with('.') { "." } else { "" }, line]);
        let content = transparent.chain([".\r\n"]).collect::<String>();
        self.check_turn(Step::Mail)?;
        for part in content.as_bytes().chunks(PART_BYTES) {
            self.write(Step::Mail, part).await?;
        }
        self.read_within(self.content_timeout, Step::Mail, &[250]).await.map(drop)
    }

    /// Ends the connection. Does not wait for the server's answer.
    pub(super) async fn quit(mut self) {
        if self.write(Step::Connection, b"QUIT\r\n").await.is_ok() {
            // The server may have closed the connection already.
            drop(timeout(TIMEOUT, self.stream.shutdown()).await);
        }
    }

    /// Sends a command, and returns its answer.
    async fn command(&mut self, step: Step, command: &str, expected: &[u16]) -> Result<SmtpReply, SendError> {
        self.check_turn(step)?;
        self.write(step, format!("{command}\r\n").as_bytes()).await?;
        self.read(step, expected).await
    }

    /// Checks that it is this client's turn: the server has said nothing after its last answer, as far as has arrived. What it says
    /// before a command is no answer to the command.
    fn check_turn(&mut self, step: Step) -> Result<(), SendError> {
        match self.stream.fill_buf().now_or_never() {
            Some(Ok(said)) if !said.is_empty() => {
                Err(step.failed("the mail server sent more than its answer"))
            }
            // A connection that has ended fails the command.
            _ => Ok(()),
        }
    }

    async fn write(&mut self, step: Step, bytes: &[u8]) -> Result<(), SendError> {
        let stream = self.stream.get_mut();
        let written = within(TIMEOUT, async {
            stream.write_all(bytes).await?;
            stream.flush().await
        });
        written.await.map_err(|error| step.broken(&error))
    }

    async fn read(&mut self, step: Step, expected: &[u16]) -> Result<SmtpReply, SendError> {
        self.read_within(TIMEOUT, step, expected).await
    }

    /// Reads an answer.
    ///
    /// # Errors
    /// Fails unless the code of the answer is one of `expected`.
    async fn read_within(
        &mut self,
        limit: Duration,
        step: Step,
        expected: &[u16],
    ) -> Result<SmtpReply, SendError> {
        match within(limit, read_reply(&mut self.stream)).await {
            Ok(reply) if expected.contains(&reply.code) => Ok(reply),
            Ok(reply) => Err(step.refused(&reply)),
            Err(error) => Err(step.broken(&error)),
        }
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").field("extensions", &self.extensions).finish_non_exhaustive()
    }
}

impl Step {
    /// Returns the name of the step in an error.
    const fn name(self) -> &'static str {
        match self {
            Self::Connection => "connection",
            Self::Login => "login",
            Self::Sender => "sender",
            Self::Mail => "email",
        }
    }

    /// Describes an answer that was not expected.
    fn refused(self, reply: &SmtpReply) -> SendError {
        let SmtpReply { code, .. } = reply;
        let kind = match (self, code) {
            (Self::Mail, 421 | 530..=539) => SendErrorKind::Server,
            (Self::Mail, 400..=509 | 521) => SendErrorKind::TransientRefusal,
            (Self::Mail, 510..=599) => SendErrorKind::PermanentRefusal,
            _ => SendErrorKind::Server,
        };
        let reason = match self {
            Self::Login if *code == LOGIN_REFUSED => format!(
                "the mail server refused the login ({LOGIN_REFUSED}): check the user and password in --smtp"
            ),
            // An answer to the user or the password may repeat it.
            Self::Login => format!("the mail server refused the login ({code})"),
            Self::Mail => format!("the mail server answered {code}: {}", reply.text()),
            _ => format!("the mail server refused the {} ({code}): {}", self.name(), reply.text()),
        };
        SendError { reason, kind, unquoted: Some(format!("the mail server answered {code}")) }
    }

    /// Describes a connection that failed, or an answer that could not be read.
    fn broken(self, error: &io::Error) -> SendError {
        let kind = match self {
            Self::Mail => SendErrorKind::Unanswered,
            _ => SendErrorKind::Server,
        };
        SendError { kind, ..self.failed(&error.to_string()) }
    }

    fn failed(self, reason: &str) -> SendError {
        let reason = format!("the {} failed: {reason}", self.name());
        SendError { reason, kind: SendErrorKind::Server, unquoted: None }
    }
}

impl SmtpReply {
    fn text(&self) -> String {
        self.lines.join(" ")
    }
}

/// Connects to the first address of the host that accepts a connection.
async fn connect(host: &str, port: u16) -> io::Result<TcpStream> {
    let mut failure = io::Error::other("the host has no address");
    for address in within(TIMEOUT, lookup_host((host, port))).await? {
        match within(TIMEOUT, TcpStream::connect(address)).await {
            Ok(stream) => {
                stream.set_nodelay(true)?;
                return Ok(stream);
            }
            Err(error) => failure = error,
        }
    }
    Err(failure)
}

/// Makes the TLS handshake. The certificate of the server has to name the host of the URL.
async fn encrypted(stream: Box<dyn Stream>, url: &SmtpUrl) -> Result<Box<dyn Stream>, SendError> {
    let Some(config) = tls::with_system_roots() else {
        return Err(Step::Connection.failed("the system has no root certificates"));
    };
    let connecting = TlsConnector::from(config).connect(url.certified.clone(), stream);
    let stream = within(TIMEOUT, connecting).await.map_err(|error| {
        let without = match url.security {
            Security::IfOffered => ". With ?tls=none after the port in --smtp, emails are sent without TLS",
            _ => "",
        };
        Step::Connection.failed(&format!("TLS failed: {error}{without}"))
    })?;
    Ok(Box::new(stream))
}

/// Waits for `limit` at most.
async fn within<T>(limit: Duration, work: impl Future<Output = io::Result<T>>) -> io::Result<T> {
    match timeout(limit, work).await {
        Ok(result) => result,
        Err(_) => Err(io::Error::other(format!("the mail server has not answered within {limit:?}"))),
    }
}

/// Reads the lines of an answer. The last line has no hyphen after its code.
async fn read_reply(stream: &mut BufReader<impl AsyncRead + Unpin>) -> io::Result<SmtpReply> {
    let unreadable = || io::Error::other("the mail server's answer could not be read");
    let mut reply: Option<SmtpReply> = None;
    for _ in 0..MAX_LINES {
        let mut line = vec![];
        (&mut *stream).take(MAX_LINE_BYTES).read_until(b'\n', &mut line).await?;
        if line.is_empty() {
            return Err(io::Error::other("the mail server closed the connection"));
        }
        let (code, is_last, text) = parsed(&line).ok_or_else(unreadable)?;
        let mut whole = reply.unwrap_or(SmtpReply { code, lines: vec![] });
        if whole.code != code {
            return Err(unreadable());
        }
        whole.lines.push(text);
        if is_last {
            return Ok(whole);
        }
        reply = Some(whole);
    }
    Err(unreadable())
}

/// Returns the code of a line of an answer, whether the line is the last one, and its text. `None` if the line is not complete or
/// not one of an answer.
fn parsed(line: &[u8]) -> Option<(u16, bool, String)> {
    let line = String::from_utf8_lossy(line.strip_suffix(b"\n")?);
    let line = line.trim_end();
    let (code, rest) = line.split_at_checked(3)?;
    let is_code = code.bytes().all(|byte| byte.is_ascii_digit());
    let is_last = match rest.bytes().next() {
        None | Some(b' ') => true,
        Some(b'-') => false,
        Some(_) => return None,
    };
    let text = rest.get(1..).unwrap_or_default().to_owned();
    code.parse().ok().filter(|_| is_code).map(|code| (code, is_last, text))
}

#[cfg(test)]
mod tests;
