//! Signing in with a mailed code, invitations, and cookies.

use crate::console::{ADA, Organizer, wait_for_code, wait_for_text};
use crate::console_events::mistakes;
use crate::harness::{Answer, Server};
use crate::mailbox::Mailbox;

fn start(mailbox: &Mailbox) -> Server {
    Server::start(&["--smtp", &mailbox.url()])
}

/// Returns the attributes of the cookie of this name that an answer sets, in lower case, without its value.
fn attributes(answer: &Answer, name: &str) -> Option<String> {
    let mut cookies = answer.headers.get_all("set-cookie").iter().map(|value| value.to_str().unwrap());
    let cookie = cookies.rfind(|cookie| cookie.starts_with(&format!("{name}=")))?;
    Some(cookie.split_once(';')?.1.to_lowercase())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_code_signs_in_once_and_only_in_the_browser_that_asked() {
    let mailbox = Mailbox::start();
    let server = start(&mailbox);
    Organizer::first_owner(&server).await;
    let browser = Organizer::new(&server);
    let asked = browser.post("/sign-in", &[("email", ADA), ("next", "/console/riverside/leave")]).await;
    assert_eq!(asked.status, 200);
    for part in ["autocomplete=\"one-time-code\"", "spellcheck=\"false\"", "action=\"/sign-in/code\""] {
        assert!(asked.text.contains(part), "{}", asked.text);
    }
    let code = wait_for_code(&mailbox, ADA, 0).await;
    assert!(!asked.text.contains(&code));

    assert_eq!(Organizer::new(&server).post("/sign-in/code", &[("code", &code)]).await.status, 422);
    let before = browser.cookie("signup-browser").unwrap();
    let typed = code.to_uppercase().replace(' ', "");
    let fields = [("code", typed.as_str()), ("next", "/console/riverside/leave")];
    let entered = browser.post("/sign-in/code", &fields).await;
    assert_eq!((entered.status, entered.header("location")), (303, Some("/console/riverside/leave")));
    assert_eq!(browser.get("/console/riverside/leave").await.status, 200);

    // The code is used, also for a browser that still has the cookie.
    let replay = Organizer::new(&server);
    replay.set_cookie("signup-browser", &before);
    assert_eq!(replay.post("/sign-in/code", &fields).await.status, 422, "a replay");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn known_and_unknown_addresses_get_the_same_page() {
    let mailbox = Mailbox::start();
    let server = start(&mailbox);
    let owner = Organizer::first_owner(&server).await;
    let ask = async |email: &str| {
        let answer = Organizer::new(&server).post("/sign-in", &[("email", email)]).await;
        let headers: Vec<_> = answer.headers.keys().map(|name| name.as_str().to_owned()).collect();
        (answer.status, headers, answer.text)
    };
    let known = ask(ADA).await;
    let unknown = ask("bob@example.org").await;
    assert_eq!(known, unknown);
    wait_for_code(&mailbox, ADA, 0).await;
    assert!(mailbox.mails().iter().all(|mail| mail.to != "bob@example.org"));
    let mut refused = vec![];
    for email in [ADA, "bob@example.org"] {
        for _ in 0..4 {
            assert_eq!(ask(email).await.0, 200, "{email}");
        }
        refused.push(ask(email).await);
    }
    assert_eq!(refused[0], refused[1]);
    assert_eq!(refused[0].0, 429, "the sixth code for an address from one client address");
    assert!(refused[0].2.contains("Too many attempts. Please try again in 60 minutes."), "{}", refused[0].2);
    let confirmation = owner.post("/sign-in", &[("email", ADA)]).await;
    assert_eq!(confirmation.status, 200, "a confirmation is counted by session");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wrong_code_is_refused_beside_its_field() {
    let server = Server::start(&[]);
    let browser = Organizer::new(&server);
    for (email, sentence) in [("", "Enter an email address"), ("ada", "like name@example.com")] {
        let answer = browser.post("/sign-in", &[("email", email)]).await;
        assert_eq!(answer.status, 422);
        assert!(answer.text.contains(sentence) && answer.text.contains("<title>Error: "), "{}", answer.text);
        assert!(answer.text.contains("aria-describedby=\" email-mistake\""), "{}", answer.text);
    }
    browser.post("/sign-in", &[("email", ADA)]).await;
    let answer = browser.post("/sign-in/code", &[("code", "aaaa aaaa"), ("next", "/console/x")]).await;
    assert_eq!(answer.status, 422);
    assert!(answer.text.contains(r#"name="next" value="/console/x""#), "{}", answer.text);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sign_in_changes_the_cookie_and_a_sign_out_ends_it() {
    let mailbox = Mailbox::start();
    let server = start(&mailbox);
    let browser = Organizer::first_owner(&server).await;
    let first = browser.cookie("signup").unwrap();
    let answer = browser.sign_in(&mailbox, ADA).await;
    assert_eq!((answer.status, answer.header("location")), (303, Some("/console")));
    let second = browser.cookie("signup").unwrap();
    assert_ne!(first, second, "a planted cookie does not become a session");
    let status = async |cookie: &str| {
        let browser = Organizer::new(&server);
        browser.set_cookie("signup", cookie);
        browser.get("/console/riverside/leave").await.status
    };
    assert_eq!((status(&first).await, status(&second).await), (303, 200), "the new session replaces the old");

    let elsewhere = Organizer::new(&server);
    // A planted cookie, which was never a session.
    let planted = "A".repeat(43);
    elsewhere.set_cookie("signup", &planted);
    elsewhere.sign_in(&mailbox, ADA).await;
    assert_eq!(status(&planted).await, 303, "the session has a new secret");
    let third = elsewhere.cookie("signup").unwrap();
    assert_eq!(browser.post("/sign-out", &[]).await.header("location"), Some("/sign-in"));
    assert_eq!(browser.cookie("signup"), None);
    assert_eq!((status(&second).await, status(&third).await), (303, 200));
    browser.sign_in(&mailbox, ADA).await;
    assert_eq!(browser.post("/sign-out", &[("action", "everywhere")]).await.status, 303);
    assert_eq!(status(&third).await, 303, "every session ends");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cookie_is_sent_to_this_host_only_and_hidden_from_scripts() {
    for (base_url, prefix, secure) in
        [("http://signup.example.org", "", ""), ("https://signup.example.org/app", "__Host-", "; secure")]
    {
        let mailbox = Mailbox::start();
        let server = Server::start(&["--smtp", &mailbox.url(), "--base-url", base_url]);
        let link = server.console.strip_prefix(base_url).unwrap();
        let browser = Organizer::new(&server);
        let fields =
            [("name", "Ada"), ("email", ADA), ("organization_name", "R"), ("contact", "r@example.org")];
        let joined = browser.post(link, &fields).await;
        let shape = |life: u32| format!(" path=/; max-age={life}; httponly; samesite=lax{secure}");
        assert_eq!(attributes(&joined, &format!("{prefix}signup")), Some(shape(60 * 24 * 3600)));
        let asked = browser.post("/sign-in", &[("email", ADA)]).await;
        assert_eq!(attributes(&asked, &format!("{prefix}signup-browser")), Some(shape(600)));
        let code = wait_for_code(&mailbox, ADA, 0).await;
        let entered = browser.post("/sign-in/code", &[("code", &code)]).await;
        assert_eq!(attributes(&entered, &format!("{prefix}signup")), Some(shape(60 * 24 * 3600)));
        assert_eq!(attributes(&entered, &format!("{prefix}signup-browser")), Some(shape(0)), "removed");
        let left = browser.post("/sign-out", &[]).await;
        assert_eq!(attributes(&left, &format!("{prefix}signup")), Some(shape(0)), "removed");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn posts_to_sign_in_are_counted_for_a_client_address() {
    let server = Server::start(&[]);
    let browser = Organizer::new(&server);
    for _ in 0..15 {
        assert_eq!(browser.post("/sign-in", &[]).await.status, 422);
        assert_eq!(browser.post("/sign-in/code", &[]).await.status, 422);
    }
    for path in ["/sign-in", "/sign-in/code"] {
        let answer = browser.post(path, &[]).await;
        assert_eq!(answer.status, 429);
        assert!(answer.header("retry-after").is_some());
    }
    assert_eq!(browser.get("/sign-in").await.status, 200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_first_owner_names_the_organization() {
    let server = Server::start(&[]);
    let browser = Organizer::new(&server);
    let path = server.console.strip_prefix(&server.url).unwrap();
    assert_eq!(browser.get(path).await.status, 200);
    let refused = browser.post(path, &[("email", "ada"), ("contact", "x")]).await;
    let ids: Vec<_> = mistakes(&refused).into_iter().map(|(id, _)| id).collect();
    assert_eq!((refused.status, ids), (422, vec!["name", "email", "organization_name", "contact"]));
    let owner = Organizer::first_owner(&server).await;
    assert_eq!(owner.get("/console").await.header("location"), Some("/console/riverside/"));
    assert_eq!(browser.get(path).await.status, 410, "the link is used");
    assert_eq!(browser.post(path, &[]).await.status, 410);
    assert_eq!(browser.get("/invitations/x").await.status, 404);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_invitation_is_for_one_person() {
    let mailbox = Mailbox::start();
    let server = start(&mailbox);
    let owner = Organizer::first_owner(&server).await;
    let fields =
        [("action", "invite"), ("email", "grace@example.org"), ("name", "Grace"), ("role", "organizer")];
    assert_eq!(owner.post("/console/riverside/settings/members", &fields).await.status, 303);
    let text = wait_for_text(&mailbox, "grace@example.org", "/invitations/").await;
    let link = text.split_whitespace().find(|word| word.contains("/invitations/")).unwrap();
    let path = link.strip_prefix(&server.url).unwrap();

    let other = owner.get(path).await;
    assert_eq!(other.status, 409, "Ada is signed in");
    assert!(other.text.contains("Sign out and continue"), "{}", other.text);
    assert_eq!(owner.post(path, &[]).await.status, 409);

    let grace = Organizer::new(&server);
    let page = grace.get(path).await;
    for part in ["Ada Lovelace", "Riverside", "an organizer", "grace@example.org"] {
        assert!(page.text.contains(part), "{part}: {}", page.text);
    }
    let joined = grace.post(path, &[("name", "Grace Hopper")]).await;
    assert_eq!((joined.status, joined.header("location")), (303, Some("/console/riverside/")));
    assert_eq!(grace.post(path, &[("name", "Grace")]).await.status, 410);
    for _ in ["with the session", "without a session"] {
        assert_eq!(owner.post("/sign-out", &[("next", path)]).await.header("location"), Some(path));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn somebody_who_exists_accepts_an_invitation_without_a_name_and_signs_in_with_a_code() {
    let mailbox = Mailbox::start();
    let server = Server::start_on_sqlite_with(&["--smtp", &mailbox.url()]);
    let owner = Organizer::first_owner(&server).await;
    let grace = owner.invite(&mailbox, "grace@example.org", "organizer").await;
    server.command("organization create --name Lakeside");
    let invite = || server.invite("lakeside", "GRACE@example.org", "organizer");
    let (stranger, path) = (Organizer::new(&server), invite());
    let page = stranger.get(&path).await;
    assert!(page.status == 200 && !page.text.contains("name=\"name\""), "{}", page.text);
    let joined = stranger.post(&path, &[]).await;
    let next = "/sign-in?next=/console/lakeside/";
    assert_eq!((joined.status, joined.header("location")), (303, Some(next)));
    let told = async || {
        stranger.get(next).await.text.contains("You’ve joined the organization. Sign in to continue.")
    };
    assert!(told().await && !told().await, "told once");
    assert_eq!(stranger.cookie("signup"), None, "a forwarded invitation signs nobody in");
    let ended = grace.get("/console/lakeside/").await;
    assert_eq!((ended.status, ended.header("location")), (303, Some(next)), "an invitation has opened it");
    grace.sign_in(&mailbox, "grace@example.org").await;
    assert_eq!(grace.get("/console/lakeside/").await.status, 200);

    let remove = ["person", "remove", "--organization", "lakeside", "--email", "grace@example.org"];
    server.manage(&remove);
    let session = grace.cookie("signup");
    let joined = grace.post(&invite(), &[]).await;
    assert_eq!((joined.status, joined.header("location")), (303, Some("/console/lakeside/")));
    assert_eq!(grace.cookie("signup"), session, "the session stays as it is");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_241st_form_of_a_person_in_a_minute_gets_429_refused_ones_counted() {
    let Some(server) = Server::start_on_postgres() else { return };
    let owner = Organizer::owner_of_starter(&server).await;
    let event = "/console/starter/events/new";
    assert_eq!(owner.post(event, &[]).await.status, 422);
    // The window of the person, with 237 posts, stays open for at least another minute.
    let window = "UPDATE windows SET requests = 237, opened_at = opened_at + 59, ends_at = ends_at + 59 \
                  WHERE caller IN (SELECT CAST(id AS text) FROM people) RETURNING requests";
    assert_eq!(server.sql(window).await, "237");
    // No organization of the person, an invitation that is gone, and half the link of one.
    let gone = format!("/invitations/{}", "A".repeat(43));
    let refusals = [("/console/other/events/new", 404), (&*gone, 410), ("/invitations/A", 404)];
    for (path, status) in refusals {
        assert_eq!(owner.post(path, &[]).await.status, status, "{path}");
    }
    for (path, _) in refusals {
        let answer = owner.post(path, &[]).await;
        assert!(answer.status == 429 && answer.text.contains("Too many attempts"), "{path}: {}", answer.text);
        assert!(answer.header("retry-after").is_some());
    }
    assert_eq!(owner.get("/console/starter/").await.status, 200, "pages are not counted");
    assert_eq!(owner.post("/sign-out", &[]).await.status, 303, "anybody may sign out");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_start_page_leads_to_the_console() {
    let server = Server::start(&[]);
    let browser = Organizer::new(&server);
    assert!(browser.get("/").await.text.contains("href=\"/sign-in\""));
    let owner = Organizer::first_owner(&server).await;
    let page = owner.get("/").await.text;
    assert!(page.contains("href=\"/console\"") && !page.contains("href=\"/sign-in\""), "{page}");
}
