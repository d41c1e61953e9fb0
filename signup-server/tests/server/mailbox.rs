//! An SMTP server for one test. It stores the received mails and can refuse or delay commands.

use std::collections::HashMap;
use std::fmt;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{IpAddr, Ipv4Addr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mailin::{Action, AuthMechanism, Handler, Response, SessionBuilder, response};
use mailparse::MailHeaderMap as _;
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use tempfile::NamedTempFile;

use crate::wait::{wait_for_anything_more, wait_until};

/// A running SMTP server. It runs until the test process exits.
#[derive(Clone)]
pub(crate) struct Mailbox {
    port: u16,
    state: Arc<Mutex<State>>,
}

/// The TLS mode and the login that the server offers.
#[derive(Clone)]
pub(crate) enum Security {
    /// Plaintext without a login.
    Clear,
    /// Plaintext with an optional login.
    ClearWithLogin,
    /// STARTTLS; after it, a login is required.
    StartTls(Arc<ServerConfig>),
    /// Implicit TLS; a login is required.
    Tls(Arc<ServerConfig>),
}

/// The only accepted login: user and password.
pub(crate) const LOGIN: (&str, &str) = ("riverside", "a pass:word");

/// Creates a self-signed certificate for `localhost`. Returns the server's configuration and a PEM file to trust.
pub(crate) fn certificate() -> (Arc<ServerConfig>, NamedTempFile) {
    let rcgen::CertifiedKey { cert, signing_key } =
        rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let key = rustls::pki_types::PrivateKeyDer::Pkcs8(signing_key.serialize_der().into());
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![cert.der().clone()], key)
        .unwrap();
    let mut file = NamedTempFile::new().unwrap();
    file.write_all(cert.pem().as_bytes()).unwrap();
    (Arc::new(config), file)
}

#[derive(Default)]
struct State {
    mails: Vec<Mail>,
    /// Replies to `RCPT TO` by address. Each reply is used once; the last reply repeats.
    answers: HashMap<String, Vec<(u16, &'static str)>>,
    /// Delay of the reply to the end of a mail.
    mail_delay: Duration,
    /// Delay of each reply to a command of a mail transaction.
    reply_delay: Duration,
    /// Number of started `DATA` commands.
    begun: usize,
    /// Number of login attempts.
    logins: usize,
    /// A command and the reply that refuses it on every connection.
    refusal: Option<(&'static str, &'static str)>,
}

impl State {
    fn refusal_of(&self, command: &[u8]) -> Option<&'static str> {
        let (refused, answer) = self.refusal?;
        let beginning = command.get(..refused.len())?;
        beginning.eq_ignore_ascii_case(refused.as_bytes()).then_some(answer)
    }
}

/// A received mail.
#[derive(Debug, Clone)]
pub(crate) struct Mail {
    /// The recipient, from the envelope.
    pub(crate) to: String,
    /// The name that the client has given in `EHLO`.
    pub(crate) hello: String,
    pub(crate) raw: Vec<u8>,
}

impl Mail {
    pub(crate) fn header(&self, name: &str) -> String {
        let parsed = mailparse::parse_mail(&self.raw).unwrap();
        let values = parsed.headers.get_all_values(name);
        assert_eq!(values.len(), 1, "{name}: {values:?}");
        values.into_iter().next().unwrap()
    }

    fn parts(&self, media_type: &str) -> Vec<String> {
        let parsed = mailparse::parse_mail(&self.raw).unwrap();
        let parts = parsed.parts().filter(|part| part.ctype.mimetype == media_type);
        parts.map(|part| part.get_body().unwrap()).collect()
    }

    pub(crate) fn text(&self) -> String {
        self.parts("text/plain")[0].replace("\r\n", "\n")
    }

    pub(crate) fn html(&self) -> String {
        self.parts("text/html").remove(0)
    }

    /// Returns the calendar files: that of all places that the address has, and one for each place that was cancelled.
    pub(crate) fn calendars(&self) -> Vec<Calendar> {
        self.parts("text/calendar").iter().map(|text| Calendar::read(text)).collect()
    }

    /// Returns the only calendar file.
    pub(crate) fn calendar(&self) -> Calendar {
        let mut calendars = self.calendars();
        assert_eq!(calendars.len(), 1, "{calendars:?}");
        calendars.remove(0)
    }

    /// Returns the path of the link to the places, if the mail has one.
    pub(crate) fn signup_path(&self) -> Option<String> {
        let text = self.text();
        let start = text.find("/signups/")?;
        Some(text[start..].lines().next().unwrap().to_owned())
    }
}

/// The properties of an iCalendar object, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Calendar(Vec<(String, String)>);

impl fmt::Display for Calendar {
    /// Writes each property on a line, without those that follow from the time of writing.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lines = self.0.iter().filter(|(name, _)| !["DTSTAMP", "SEQUENCE"].contains(&&**name));
        lines.try_for_each(|(name, value)| writeln!(f, "{name}:{value}"))
    }
}

impl Calendar {
    pub(crate) fn read(text: &str) -> Self {
        // A line that begins with a space continues the previous line (RFC 5545, 3.1).
        let text = text.replace("\r\n ", "");
        let lines = text.split("\r\n").filter_map(|line| line.split_once(':'));
        Self(lines.map(|(name, value)| (name.to_owned(), value.to_owned())).collect())
    }

    pub(crate) fn without_time_of_writing(mut self) -> Self {
        self.0.retain(|(name, _)| name != "DTSTAMP");
        self
    }

    pub(crate) fn property(&self, name: &str) -> &str {
        let values: Vec<_> = self.0.iter().filter(|(found, _)| found == name).collect();
        assert_eq!(values.len(), 1, "{name} in {self:?}");
        &values[0].1
    }

    pub(crate) fn sequence(&self) -> u32 {
        self.property("SEQUENCE").parse().unwrap()
    }
}

impl Mailbox {
    pub(crate) fn start() -> Self {
        Self::start_at(0)
    }

    /// Starts a server on `port`; 0 means a free port.
    pub(crate) fn start_at(port: u16) -> Self {
        Self::start_with(port, &Security::Clear)
    }

    pub(crate) fn start_with(port: u16, security: &Security) -> Self {
        let listener = TcpListener::bind(("0.0.0.0", port)).unwrap();
        let mailbox = Self { port: listener.local_addr().unwrap().port(), state: Arc::default() };
        let (state, security) = (Arc::clone(&mailbox.state), security.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let session = Session {
                    state: Arc::clone(&state),
                    to: String::new(),
                    hello: String::new(),
                    raw: vec![],
                };
                let security = security.clone();
                // An I/O error ends this connection and no other.
                std::thread::spawn(move || serve_connection(stream?, session, &security));
            }
        });
        mailbox
    }

    pub(crate) const fn port(&self) -> u16 {
        self.port
    }

    pub(crate) fn url(&self) -> String {
        format!("smtp://127.0.0.1:{}", self.port)
    }

    /// Sets the replies to mails for an address. Each reply is used once; the last reply repeats. 250 accepts the mail.
    pub(crate) fn answer(&self, to: &str, answers: &[(u16, &'static str)]) {
        self.state.lock().unwrap().answers.insert(to.to_owned(), answers.to_vec());
    }

    /// Refuses a command with this reply. `None` removes the refusal.
    pub(crate) fn refuse(&self, refusal: Option<(&'static str, &'static str)>) {
        self.state.lock().unwrap().refusal = refusal;
    }

    /// Delays the reply to the end of each mail. The mail is stored before the delay.
    pub(crate) fn set_mail_delay(&self, delay: Duration) {
        self.state.lock().unwrap().mail_delay = delay;
    }

    /// Delays each reply to a command of a mail transaction.
    pub(crate) fn set_reply_delay(&self, delay: Duration) {
        self.state.lock().unwrap().reply_delay = delay;
    }

    /// Returns the number of login attempts, accepted or refused.
    pub(crate) fn logins(&self) -> usize {
        self.state.lock().unwrap().logins
    }

    pub(crate) fn mails(&self) -> Vec<Mail> {
        self.state.lock().unwrap().mails.clone()
    }

    pub(crate) fn count(&self) -> usize {
        self.state.lock().unwrap().mails.len()
    }

    /// Returns the number of mails whose transmission started.
    pub(crate) fn begun(&self) -> usize {
        self.state.lock().unwrap().begun
    }

    /// Waits until at least `count` mails were received and returns all of them. Panics after `limit`.
    pub(crate) async fn wait_for(&self, count: usize, limit: Duration) -> Vec<Mail> {
        wait_until(limit, async || {
            let mails = self.mails();
            let (received, is_enough) = (mails.len(), mails.len() >= count);
            if is_enough { Ok(mails) } else { Err(format!("only {received} of {count} mails arrived")) }
        })
        .await
    }

    /// Waits for `count` mails and checks that no further mail arrives within 2.5 seconds.
    pub(crate) async fn wait_for_exactly(&self, count: usize, limit: Duration) -> Vec<Mail> {
        self.wait_for(count, limit).await;
        wait_for_anything_more().await;
        let mails = self.mails();
        let to: Vec<_> = mails.iter().map(|mail| (&mail.to, mail.header("subject"))).collect();
        assert_eq!(mails.len(), count, "{to:?}");
        mails
    }
}

/// The mail transaction of one connection.
#[derive(Clone)]
struct Session {
    state: Arc<Mutex<State>>,
    to: String,
    hello: String,
    raw: Vec<u8>,
}

impl Session {
    /// Blocks the thread of the connection for the reply delay that the test has set; zero by default.
    fn delay_reply(&self) {
        let delay = self.state.lock().unwrap().reply_delay;
        std::thread::sleep(delay);
    }
}

impl Handler for Session {
    fn auth_plain(&mut self, _for: &str, user: &str, password: &str) -> Response {
        self.state.lock().unwrap().logins += 1;
        if (user, password) == LOGIN { response::AUTH_OK } else { response::INVALID_CREDENTIALS }
    }

    fn rcpt(&mut self, to: &str) -> Response {
        self.delay_reply();
        let mut state = self.state.lock().unwrap();
        let Some(answers) = state.answers.get_mut(to) else { return response::OK };
        let (code, text) = answers[0];
        if answers.len() > 1 {
            answers.remove(0);
        }
        if code == 250 { response::OK } else { Response::custom(code, text.to_owned()) }
    }

    fn mail(&mut self, _ip: IpAddr, domain: &str, _from: &str) -> Response {
        self.delay_reply();
        domain.clone_into(&mut self.hello);
        self.raw.clear();
        response::OK
    }

    fn data_start(&mut self, _domain: &str, _from: &str, _is8bit: bool, to: &[String]) -> Response {
        assert_eq!(to.len(), 1, "each mail has one recipient");
        to[0].clone_into(&mut self.to);
        self.state.lock().unwrap().begun += 1;
        self.delay_reply();
        response::OK
    }

    fn data(&mut self, buffer: &[u8]) -> io::Result<()> {
        self.raw.extend_from_slice(buffer);
        Ok(())
    }

    fn data_end(&mut self) -> Response {
        let delay = self.state.lock().unwrap().mail_delay;
        let (to, hello) = (self.to.clone(), self.hello.clone());
        let mail = Mail { to, hello, raw: std::mem::take(&mut self.raw) };
        // Stored before the delay: a client that is killed while it waits for the reply has sent the mail.
        self.state.lock().unwrap().mails.push(mail);
        // The test has set the delay: it stands for a slow mail server.
        std::thread::sleep(delay);
        self.delay_reply();
        response::OK
    }
}

fn serve_connection(stream: TcpStream, handler: Session, security: &Security) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut builder = SessionBuilder::new("mail.example.org");
    match security {
        Security::Clear => {}
        Security::ClearWithLogin => {
            builder.insecure_enable_plaintext_auth().enable_auth(AuthMechanism::Plain);
        }
        Security::StartTls(_) | Security::Tls(_) => {
            builder.enable_start_tls().enable_auth(AuthMechanism::Plain);
        }
    }
    let state = Arc::clone(&handler.state);
    let mut session = builder.build(IpAddr::V4(Ipv4Addr::LOCALHOST), handler);
    let over_tls = |config: &Arc<ServerConfig>, stream| {
        let connection = ServerConnection::new(Arc::clone(config)).map_err(io::Error::other)?;
        io::Result::Ok(StreamOwned::new(connection, stream))
    };
    match security {
        Security::Clear | Security::ClearWithLogin => {
            serve_commands(&state, &mut session, stream, true).map(|_| ())
        }
        Security::Tls(config) => {
            session.tls_active();
            serve_commands(&state, &mut session, over_tls(config, stream)?, true).map(|_| ())
        }
        Security::StartTls(config) => {
            let Some(stream) = serve_commands(&state, &mut session, stream, true)? else { return Ok(()) };
            session.tls_active();
            serve_commands(&state, &mut session, over_tls(config, stream)?, false).map(|_| ())
        }
    }
}

/// Processes commands until the connection ends. Returns the stream if the client requests STARTTLS.
fn serve_commands<S: Read + Write>(
    state: &Mutex<State>,
    session: &mut mailin::Session<Session>,
    stream: S,
    greets: bool,
) -> io::Result<Option<S>> {
    let mut stream = BufReader::new(stream);
    let say = |stream: &mut BufReader<S>, response: &Response| {
        response.write_to(stream.get_mut())?;
        stream.get_mut().flush()
    };
    let refuse = |stream: &mut BufReader<S>, command: &[u8]| {
        let refusal = state.lock().unwrap().refusal_of(command);
        io::Result::Ok(match refusal {
            Some(answer) => {
                stream.get_mut().write_all(format!("{answer}\r\n").as_bytes())?;
                stream.get_mut().flush()?;
                true
            }
            None => false,
        })
    };
    if greets {
        say(&mut stream, &session.greeting())?;
    }
    loop {
        let mut line = vec![];
        if stream.read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        if refuse(&mut stream, &line)? {
            continue;
        }
        let response = session.process(&line);
        if response.action != Action::NoReply {
            say(&mut stream, &response)?;
        }
        match response.action {
            Action::Close => return Ok(None),
            Action::UpgradeTls => return Ok(Some(stream.into_inner())),
            Action::Reply | Action::NoReply => {}
        }
    }
}
