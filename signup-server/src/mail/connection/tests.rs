//! Conversations with mail servers of the tests, which give prepared answers.

use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use super::*;

const ENVELOPE: Envelope<'_> = Envelope { from: "help@example.org", to: "ada@example.org" };
/// The answers that take a mail: to the connection, `EHLO`, `MAIL`, `RCPT`, `DATA`, and the content.
const TAKEN: [&str; 6] = ["220 hi", "250 mail.example.org", "250 ok", "250 ok", "354 go on", "250 taken"];

/// A mail server that greets one client and then answers each line of it.
struct Server {
    port: u16,
    /// What the client sent.
    received: JoinHandle<String>,
}

impl Server {
    async fn start(answers: &[&str]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let answers: Vec<_> = answers.iter().map(|answer| format!("{answer}\r\n")).collect();
        let received = tokio::spawn(async move {
            let mut received = vec![];
            let (stream, _) = listener.accept().await.unwrap();
            // A client that has enough ends the connection, even while the server writes.
            drop(converse(BufReader::new(stream), &answers, &mut received).await);
            String::from_utf8_lossy(&received).into_owned()
        });
        Self { port, received }
    }

    fn url(&self, login: &str, query: &str) -> SmtpUrl {
        format!("smtp://{login}127.0.0.1:{}{query}", self.port).parse().unwrap()
    }

    /// Returns what the client sent until it ended the connection.
    async fn received(self) -> String {
        timeout(TIMEOUT, self.received).await.unwrap().unwrap()
    }
}

/// Gives each answer in turn, and reads a line after it, or a mail after 354. At last reads until the client ends the connection.
async fn converse(
    mut stream: BufReader<TcpStream>,
    answers: &[String],
    received: &mut Vec<u8>,
) -> io::Result<()> {
    for answer in answers {
        stream.get_mut().write_all(answer.as_bytes()).await?;
        let takes_mail = answer.starts_with("354");
        while stream.read_until(b'\n', received).await? > 0 && takes_mail && !received.ends_with(b"\r\n.\r\n")
        {
        }
    }
    stream.read_to_end(received).await.map(drop)
}

/// Sends a mail to a server with these answers. Also returns what the server received.
async fn send_to(answers: &[&str], content: &str) -> (Result<(), SendError>, String) {
    let server = Server::start(answers).await;
    let sent = match Connection::open(&server.url("", ""), None).await {
        Ok(mut connection) => {
            let sent = connection.send(ENVELOPE, content).await;
            connection.quit().await;
            sent
        }
        Err(error) => Err(error),
    };
    (sent, server.received().await)
}

/// Sends a mail to a server that gives `answer` in the place of one of [`TAKEN`], and takes the mail otherwise.
async fn kind_of(place: usize, answer: &str) -> Option<SendErrorKind> {
    let mut answers = TAKEN;
    answers[place] = answer;
    send_to(&answers, "a\r\n").await.0.err().map(|error| error.kind)
}

#[tokio::test]
async fn each_step_takes_only_its_own_answers() {
    for (place, good) in [(0, "220"), (1, "250"), (2, "250"), (3, "250"), (3, "251"), (4, "354"), (5, "250")]
    {
        assert_eq!(kind_of(place, good).await, None, "{good} in place {place}");
    }
    for (place, bad) in [
        (0, "250"),
        (0, "354"),
        (1, "220"),
        (1, "354"),
        (2, "220"),
        (2, "251"),
        (2, "354"),
        (3, "220"),
        (3, "252"),
        (3, "354"),
        (4, "250"),
        (4, "220"),
        (4, "334"),
        (5, "354"),
        (5, "220"),
        (5, "251"),
    ] {
        assert_eq!(kind_of(place, bad).await, Some(SendErrorKind::Server), "{bad} in place {place}");
    }
}

#[tokio::test]
async fn a_refusal_fails_the_mail_unless_it_is_for_now_or_about_this_client() {
    use SendErrorKind::{PermanentRefusal, Server, TransientRefusal};
    let [greeting, hello, sender, recipient, data, content] = [0, 1, 2, 3, 4, 5];
    for (code, of_the_mail) in [
        (421, Server),
        (422, TransientRefusal),
        (450, TransientRefusal),
        (451, TransientRefusal),
        (452, TransientRefusal),
        (455, TransientRefusal),
        (471, TransientRefusal),
        (499, TransientRefusal),
        (500, TransientRefusal),
        (501, TransientRefusal),
        (504, TransientRefusal),
        (509, TransientRefusal),
        (510, PermanentRefusal),
        (520, PermanentRefusal),
        (521, TransientRefusal),
        (522, PermanentRefusal),
        (529, PermanentRefusal),
        (530, Server),
        (535, Server),
        (539, Server),
        (541, PermanentRefusal),
        (550, PermanentRefusal),
        (554, PermanentRefusal),
        (556, PermanentRefusal),
        (571, PermanentRefusal),
        (600, Server),
    ] {
        let answer = format!("{code} 5.0.0 no");
        for place in [recipient, data, content] {
            assert_eq!(kind_of(place, &answer).await, Some(of_the_mail), "{code} in place {place}");
        }
        for place in [greeting, hello, sender] {
            assert_eq!(kind_of(place, &answer).await, Some(Server), "{code} in place {place}");
        }
    }
}

#[tokio::test]
async fn the_answer_to_the_content_has_minutes_and_then_the_reason_says_that_it_is_missing() {
    let server = Server::start(&TAKEN[..5]).await;
    let mut connection = Connection::open(&server.url("", ""), None).await.unwrap();
    assert!(connection.content_timeout >= Duration::from_mins(3));
    connection.content_timeout = Duration::from_millis(20);
    let error = connection.send(ENVELOPE, "a\r\n").await.unwrap_err();
    assert_eq!(error.reason, "the email failed: the mail server has not answered within 20ms");
    assert_eq!(error.kind, SendErrorKind::Unanswered, "other mails do not wait");
}

#[tokio::test]
async fn a_failure_quotes_the_answer_and_has_words_for_the_log_without_it() {
    let refused = "550-5.1.1 no such user\r\n550 5.1.1 ada@example.org";
    let (sent, _) = send_to(&["220 hi", "250 ok", "250 ok", refused], "a\r\n").await;
    let error = sent.unwrap_err();
    assert_eq!(error.reason, "the mail server answered 550: 5.1.1 no such user 5.1.1 ada@example.org");
    assert_eq!(error.reason_for_log(), "the mail server answered 550");
}

/// A man in the middle cannot read what is encrypted. He could answer in place of the server, if his answers counted.
#[tokio::test]
async fn nothing_in_clear_counts_after_starttls() {
    let offer = "250-mail.example.org\r\n250 STARTTLS";
    for injected in ["250 AUTH PLAIN", "250-evil.example\r\n250 AUTH PLAIN\r\n235 ok\r\n250 ok", "", "2"] {
        for query in ["", "?tls=required"] {
            let server = Server::start(&["220 hi", offer, &format!("220 ready\r\n{injected}")]).await;
            let opened = Connection::open(&server.url("ada:secret@", query), None).await;
            let error = opened.unwrap_err();
            assert_eq!(error.kind, SendErrorKind::Server);
            assert!(error.reason.contains("more than its answer"), "{}", error.reason);
            assert_eq!(
                server.received().await,
                "EHLO [127.0.0.1]\r\nSTARTTLS\r\n",
                "no handshake and no login"
            );
        }
    }
}

#[tokio::test]
async fn an_answer_that_precedes_its_command_does_not_count() {
    for (place, too_early) in [
        (0, "220 hi\r\n250 mail.example.org"),
        (2, "250 ok\r\n250 ok\r\n354 go on\r\n250 taken"),
        (3, "250 ok\r\n354 go on"),
        (4, "354 go on\r\n250 taken"),
    ] {
        assert_eq!(kind_of(place, too_early).await, Some(SendErrorKind::Server), "{too_early}");
    }
}

/// The server says more in a segment of its own, when the client has read its answer.
#[tokio::test]
async fn what_arrives_between_an_answer_and_the_next_command_ends_the_connection() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("smtp://{}", listener.local_addr().unwrap()).parse().unwrap();
    let (say, said) = tokio::sync::oneshot::channel();
    let served = tokio::spawn(async move {
        let mut stream = BufReader::new(listener.accept().await.unwrap().0);
        let mut received = vec![];
        stream.get_mut().write_all(b"220 hi\r\n").await.unwrap();
        stream.read_until(b'\n', &mut received).await.unwrap();
        stream.get_mut().write_all(b"250 mail.example.org\r\n").await.unwrap();
        said.await.unwrap();
        stream.get_mut().write_all(b"250 ok\r\n").await.unwrap();
        stream.read_to_end(&mut received).await.unwrap();
        String::from_utf8(received).unwrap()
    });
    let mut connection = Connection::open(&url, None).await.unwrap();
    assert!(connection.check_turn(Step::Mail).is_ok());
    say.send(()).unwrap();
    let arrived = async {
        while connection.check_turn(Step::Mail).is_ok() {
            tokio::task::yield_now().await;
        }
    };
    timeout(TIMEOUT, arrived).await.unwrap();
    let error = connection.send(ENVELOPE, "a\r\n").await.unwrap_err();
    assert!(error.reason.contains("more than its answer"), "{}", error.reason);
    drop(connection);
    assert_eq!(served.await.unwrap(), "EHLO [127.0.0.1]\r\n", "and no further command");
}

#[tokio::test]
async fn starttls_is_used_if_it_is_offered_unless_the_url_says_otherwise() {
    let without = ["220 hi", "250-mail.example.org\r\n250 XSTARTTLS"];
    let offered = ["220 hi", "250-mail.example.org\r\n250 STARTTLS", "454 not now"];
    for (query, answers, is_open, received) in [
        ("", without, true, "EHLO [127.0.0.1]\r\n"),
        ("?tls=none", without, true, "EHLO [127.0.0.1]\r\n"),
        ("?tls=required", without, false, "EHLO [127.0.0.1]\r\n"),
        ("?tls=none", [offered[0], offered[1]], true, "EHLO [127.0.0.1]\r\n"),
    ] {
        let server = Server::start(&answers).await;
        let connection = Connection::open(&server.url("", query), None).await;
        assert_eq!(connection.is_ok(), is_open, "{query}: {connection:?}");
        drop(connection);
        assert_eq!(server.received().await, received);
    }
    for query in ["", "?tls=required"] {
        let server = Server::start(&offered).await;
        let refused = Connection::open(&server.url("", query), None).await.unwrap_err();
        assert_eq!(
            (refused.kind, refused.unquoted.as_deref()),
            (SendErrorKind::Server, Some("the mail server answered 454"))
        );
        assert_eq!(server.received().await, "EHLO [127.0.0.1]\r\nSTARTTLS\r\n", "and no mail in clear");
    }
}

#[tokio::test]
async fn the_client_gives_its_name_or_the_address_of_its_connection() {
    for (name, greeting) in
        [(Some("signup.example.org"), "EHLO signup.example.org\r\n"), (None, "EHLO [127.0.0.1]\r\n")]
    {
        let name: Option<HelloName> = name.map(|name| name.parse().unwrap());
        let server = Server::start(&TAKEN[..2]).await;
        drop(Connection::open(&server.url("", ""), name.as_ref()).await.unwrap());
        assert_eq!(server.received().await, greeting);
    }
}

#[tokio::test]
async fn a_login_uses_a_mechanism_that_the_server_offers() {
    let (plain, user, password) =
        (STANDARD.encode("\0ada\0p:w"), STANDARD.encode("ada"), STANDARD.encode("p:w"));
    for (answers, is_open, said) in [
        (&["250 AUTH LOGIN PLAIN", "235 ok"][..], true, format!("AUTH PLAIN {plain}\r\n")),
        (
            &["250 auth login", "334 VXNlcg==", "334 UGFzcw==", "235 ok"],
            true,
            format!("AUTH LOGIN\r\n{user}\r\n{password}\r\n"),
        ),
        (&["250 AUTH PLAIN", "250 ok"], false, format!("AUTH PLAIN {plain}\r\n")),
        (&["250 AUTH PLAIN", "334 "], false, format!("AUTH PLAIN {plain}\r\n")),
        (&["250 AUTH LOGIN", "235 ok"], false, "AUTH LOGIN\r\n".to_owned()),
        (&["250 AUTH XOAUTH2"], false, String::new()),
        (&["250 AUTHPLAIN"], false, String::new()),
    ] {
        let mut answers = [&["220 hi"], answers].concat();
        let hello = format!("250-mail.example.org\r\n{}", answers[1]);
        answers[1] = &hello;
        let server = Server::start(&answers).await;
        let opened = Connection::open(&server.url("ada:p%3Aw@", ""), None).await;
        assert_eq!(opened.is_ok(), is_open, "{answers:?}");
        drop(opened);
        assert_eq!(server.received().await, format!("EHLO [127.0.0.1]\r\n{said}"));
    }
}

/// Such an answer may repeat the user or the password.
#[tokio::test]
async fn the_reason_of_a_refused_login_does_not_quote_the_answer() {
    let refused = "554 no ada:p:w";
    for answers in
        [&["250-hi\r\n250 AUTH PLAIN", refused][..], &["250-hi\r\n250 AUTH LOGIN", "334 VXNlcg==", refused]]
    {
        let server = Server::start(&[&["220 hi"], answers].concat()).await;
        let error = Connection::open(&server.url("ada:p%3Aw@", ""), None).await.unwrap_err();
        assert_eq!(error.reason, "the mail server refused the login (554)");
    }
}

#[tokio::test]
async fn a_dot_at_the_start_of_a_line_does_not_end_the_mail() {
    let (sent, received) = send_to(&TAKEN, ".\r\n.a\r\nb.\r\n..\r\n").await;
    assert_eq!(sent, Ok(()));
    let content = "..\r\n..a\r\nb.\r\n...\r\n.\r\n";
    assert_eq!(
        received,
        format!(
            "EHLO [127.0.0.1]\r\nMAIL FROM:<help@example.org>\r\nRCPT TO:<ada@example.org>\r\nDATA\r\n{content}QUIT\r\n"
        )
    );
}

#[tokio::test]
async fn a_malformed_answer_ends_the_connection() {
    let (long, many) = (format!("250 {}", "x".repeat(5000)), "250-x\r\n".repeat(200) + "250 x");
    for bad in
        ["", "25 ok", "2500 ok", "25x ok", "+50 ok", "250_ok", "250-a\r\n251 b", "250-a\r\nb", &long, &many]
    {
        assert_eq!(kind_of(2, bad).await, Some(SendErrorKind::Server), "{bad:.40}");
    }
    for good in ["250", "250 ", "250-a\r\n250-\r\n250 b"] {
        assert_eq!(kind_of(2, good).await, None, "{good}");
    }
}

/// The mail server refuses this client, and not the mail.
#[tokio::test]
async fn a_refused_login_fails_no_mail() {
    for (code, rest) in [("535", ": check the user and password in --smtp"), ("554", "")] {
        let server = Server::start(&["220 hi", "250-hi\r\n250 AUTH PLAIN", &format!("{code} no")]).await;
        let error = Connection::open(&server.url("ada:p%3Aw@", ""), None).await.unwrap_err();
        assert_eq!(error.kind, SendErrorKind::Server, "{code}");
        assert!(error.reason.contains(code) && error.reason.ends_with(rest), "{}", error.reason);
    }
}
