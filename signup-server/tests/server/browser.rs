//! The pages in headless Chromium: a volunteer signs up and cancels, and every state of the pages is accessible.
//!
//! axe-core checks the accessibility. The first run installs axe-core with npm. The tests write screenshots and the text
//! of every state to `target/screenshots`.

use std::io::{self, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use signup_store_sql::test_cluster::installed;
use thirtyfour::prelude::*;

use crate::harness::Server;
use crate::mailbox::Mailbox;
use crate::mails::SOON;
use crate::packages::{AXE, on_path, target};
use crate::page_layout::busy_event;
use crate::page_sign_ups::today;
use crate::pages::{Page, published};
use crate::start::chromedriver_port;
use crate::wait::wait_until;

/// The maximum height of a screenshot, in pixels. Chromium refuses pictures of about twice this height.
const MAX_HEIGHT: u32 = 8000;

/// The time that a page may take to appear. A browser that shares its processors with other tests may be slow.
const PAGE_DEADLINE: Duration = Duration::from_secs(60);

/// The width and the height of a phone's screen and of a desktop's, in pixels.
pub(crate) const PHONE: (u32, u32) = (420, 900);
pub(crate) const DESKTOP: (u32, u32) = (1280, 900);
/// The width at which text must still fit without scrolling sideways (WCAG 2.2, 1.4.10).
const NARROW: (u32, u32) = (320, 900);
/// The screen of a phone at a zoom of 200 %.
const ZOOMED: (u32, u32) = (210, 450);

/// A browser for one test. Dropping this value ends the browser.
pub(crate) struct Browser {
    pub(crate) driver: WebDriver,
    process: Child,
    port: u16,
    session: String,
}

impl Drop for Browser {
    fn drop(&mut self) {
        // chromedriver ends its browser at the end of the session, but not when chromedriver is killed. So the session
        // ends first.
        drop(end_session(self.port, &self.session));
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

fn end_session(port: u16, session: &str) -> io::Result<()> {
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.set_read_timeout(Some(Duration::from_secs(5)))?;
    let request =
        format!("DELETE /session/{session} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes())?;
    stream.read_to_end(&mut vec![]).map(|_| ())
}

impl Browser {
    /// Starts chromedriver and a browser. Returns `None` if one of them is not installed.
    pub(crate) async fn start() -> Option<Self> {
        installed("Chromium", on_path("chromium"))?;
        let program = installed("chromedriver", on_path("chromedriver"))?;
        let mut process = Command::new(program)
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let port = chromedriver_port(&mut process);
        let mut wanted = DesiredCapabilities::chrome();
        for argument in ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"] {
            wanted.add_arg(argument).unwrap();
        }
        let driver = WebDriver::new(format!("http://127.0.0.1:{port}"), wanted).await.unwrap();
        let session = driver.handle().session_id().to_string();
        Some(Self { driver, process, port, session })
    }

    pub(crate) async fn go(&self, url: &str) {
        self.driver.goto(url).await.unwrap();
    }

    /// Waits until the page contains `text`, because a submitted form loads another page. Panics after [`PAGE_DEADLINE`].
    pub(crate) async fn wait_for(&self, text: &str) {
        let body = async || self.driver.find(By::Tag("body")).await?.text().await;
        wait_until(PAGE_DEADLINE, async || match body().await {
            Ok(body) if body.contains(text) => Ok(()),
            // Between two pages there may be no body.
            body => Err(format!("“{text}” did not appear in {body:?}")),
        })
        .await;
    }

    /// Finds an element within the shift with this id.
    pub(crate) async fn of_shift(&self, slot: &str, selector: &str) -> WebElement {
        self.driver.find(By::Css(format!("#slot-{slot} {selector}"))).await.unwrap()
    }

    /// Opens the form of a shift, fills it in and submits it, with the keyboard only.
    async fn sign_up(&self, slot: &str, name: &str, email: &str) {
        self.of_shift(slot, "summary").await.send_keys(Key::Enter).await.unwrap();
        self.of_shift(slot, "input[name=name]").await.send_keys(name).await.unwrap();
        let field = self.of_shift(slot, "input[name=email]").await;
        field.send_keys(email).await.unwrap();
        field.send_keys(Key::Enter).await.unwrap();
    }

    /// Turns off the browser's own validation, so that the server gets a faulty form.
    pub(crate) async fn do_not_validate(&self) {
        let unchecked = "document.querySelectorAll('form').forEach(form => form.noValidate = true)";
        self.driver.execute(unchecked, vec![]).await.unwrap();
    }

    /// Sets the size of the screen, and the preferred colour scheme.
    pub(crate) async fn screen(&self, (width, height): (u32, u32), scheme: &str) {
        let metrics =
            json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500});
        self.driver.cdp().send_raw("Emulation.setDeviceMetricsOverride", metrics).await.unwrap();
        let media = json!({"features": [{"name": "prefers-color-scheme", "value": scheme}]});
        self.driver.cdp().send_raw("Emulation.setEmulatedMedia", media).await.unwrap();
    }

    /// Checks the page with axe and takes screenshots, on a phone and a desktop, in light and dark. Saves the text, too.
    pub(crate) async fn look(&self, state: &str, axe: &str) {
        let folder = target().join("screenshots");
        std::fs::create_dir_all(&folder).unwrap();
        let text = self.driver.find(By::Tag("body")).await.unwrap().text().await.unwrap();
        std::fs::write(folder.join(format!("{state}.txt")), text).unwrap();
        for (screen, scheme) in [
            (NARROW, "light"),
            (ZOOMED, "light"),
            (PHONE, "light"),
            (PHONE, "dark"),
            (DESKTOP, "light"),
            (DESKTOP, "dark"),
        ] {
            self.screen(screen, scheme).await;
            let (width, _) = screen;
            let size = "return [document.documentElement.scrollWidth, document.documentElement.scrollHeight]";
            let size = self.driver.execute(size, vec![]).await.unwrap();
            let (wide, high): (u32, u32) = size.convert().unwrap();
            assert!(wide <= width, "{state} is {wide} pixels wide on a screen of {width}");
            if screen == NARROW {
                continue;
            }
            let clip = json!({"x": 0, "y": 0, "width": width, "height": high.min(MAX_HEIGHT), "scale": 1});
            let picture = json!({"format": "png", "captureBeyondViewport": true, "clip": clip});
            let picture = self.driver.cdp().send_raw("Page.captureScreenshot", picture).await.unwrap();
            let picture = STANDARD.decode(picture["data"].as_str().unwrap()).unwrap();
            std::fs::write(folder.join(format!("{state}-{width}-{scheme}.png")), picture).unwrap();
            if screen == ZOOMED {
                continue;
            }
            let script = format!(
                "{axe}; const done = arguments[arguments.length - 1]; \
                 axe.run().then(found => done(found.violations), error => done(String(error)));"
            );
            let found = self.driver.execute_async(&script, vec![]).await.unwrap();
            assert_eq!(found.json(), &json!([]), "{state}, {width} pixels, {scheme}");
        }
    }
}

/// Returns the source of axe-core. Returns `None` if npm is not installed.
pub(crate) fn axe() -> Option<String> {
    let file = AXE.installed()?.join("node_modules/axe-core/axe.min.js");
    Some(std::fs::read_to_string(file).unwrap())
}

/// The number of places that are left falls with the sign-up and rises with the cancellation by the mailed link.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_person_signs_up_and_cancels_in_a_browser() {
    let Some(browser) = Browser::start().await else { return };
    let mailbox = Mailbox::start();
    let server = Server::start(&["--smtp", &mailbox.url()]);
    let page = Page::create(&server, &published()).await;
    let (url, early) = (format!("{}{}", server.url, page.path), page.slot("Early"));
    let left = async || browser.of_shift(&early, ".places").await.text().await.unwrap();
    browser.go(&url).await;
    assert_eq!(left().await, "4 of 4 places left");
    browser.sign_up(&early, "Ada", "ada@example.org").await;
    browser.wait_for("Check your email").await;
    browser.go(&url).await;
    assert_eq!(left().await, "3 of 4 places left");

    let mail = mailbox.wait_for(1, SOON).await.remove(0);
    browser.go(&format!("{}{}", server.url, mail.signup_path().unwrap())).await;
    browser.wait_for("You’re signed up").await;
    browser.driver.find(By::Tag("button")).await.unwrap().send_keys(Key::Enter).await.unwrap();
    browser.wait_for("You’ve cancelled your place").await;
    browser.go(&url).await;
    assert_eq!(left().await, "4 of 4 places left");
}

/// axe-core finds no violation in any state. A test of the style proves that the colours of each theme are readable.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_state_of_the_pages_is_accessible() {
    let Some(browser) = Browser::start().await else { return };
    let Some(axe) = axe() else { return };
    let mailbox = Mailbox::start();
    let folder = tempfile::tempdir().unwrap();
    let database = format!("sqlite:{}", folder.path().join("signup.db").display());
    let server = Server::start_on(&database, &["--smtp", &mailbox.url()]);
    let url = |path: &str| format!("{}{path}", server.url);

    for (state, path) in [("start", "/"), ("docs", "/docs")] {
        browser.go(&url(path)).await;
        // Opens every answer, so that the check covers its contents.
        let open = "document.querySelectorAll('details').forEach(details => details.open = true)";
        browser.driver.execute(open, vec![]).await.unwrap();
        browser.look(state, &axe).await;
    }
    let page = busy_event(&server).await;
    browser.go(&url(&page.path)).await;
    browser.look("open", &axe).await;
    let add = |arguments: &[&str]| {
        let event = page.event["id"].as_str().unwrap();
        server.manage(&[&["question", "add", "--event", event], arguments].concat())
    };
    add(&["--label", "T-shirt size", "--type", "select", "--option", "S", "--option", "M", "--required"]);
    add(&["--label", "I have read the safety rules", "--type", "checkbox", "--required"]);
    add(&["--label", "Anything that we should know?"]);
    let slot = page.slot("Setting up");
    browser.go(&url(&format!("{}?slot_id={slot}", page.path))).await;
    browser.look("form", &axe).await;

    browser.do_not_validate().await;
    browser.of_shift(&slot, "input[name=email]").await.send_keys("ada@nowhere").await.unwrap();
    browser.of_shift(&slot, "form button").await.click().await.unwrap();
    browser.wait_for("There is a problem").await;
    browser.look("bad-input", &axe).await;

    let plain = Page::create(&server, &published()).await;
    let late = plain.slot("Late");
    browser.go(&url(&plain.path)).await;
    browser.sign_up(&late, "Ada", "first@example.org").await;
    browser.wait_for("Check your email").await;
    browser.look("signed-up", &axe).await;
    browser.go(&url(&plain.path)).await;
    // The last place is taken while the form is open.
    server.patch(&format!("/v1/slots/{late}"), &json!({"capacity": 1})).await;
    browser.sign_up(&late, "Bob", "bob@example.org").await;
    browser.wait_for("Sorry, this shift is full").await;
    browser.look("just-full", &axe).await;
    browser.go(&url(&plain.path)).await;
    browser.look("full", &axe).await;

    let mail = wait_until(Duration::from_secs(60), async || {
        let mail = mailbox.mails().into_iter().find(|mail| mail.to == "first@example.org");
        mail.ok_or_else(|| "no mail to first@example.org arrived".to_owned())
    })
    .await;
    let path = mail.signup_path().unwrap();
    browser.go(&url(&path)).await;
    browser.look("my-place", &axe).await;
    browser.driver.find(By::Tag("button")).await.unwrap().click().await.unwrap();
    browser.wait_for("You’ve cancelled your place").await;
    browser.look("cancelled", &axe).await;
    std::fs::write(target().join("screenshots/mail.html"), mail.html()).unwrap();
    browser.go(&format!("file://{}", target().join("screenshots/mail.html").display())).await;
    browser.look("mail", &axe).await;

    browser.go(&url(&plain.path)).await;
    let early = plain.slot("Early");
    for _ in 0..120 {
        plain.sign_up(&server, &early, "", "").await;
    }
    browser.sign_up(&early, "Bob", "bob@example.org").await;
    browser.wait_for("Too many attempts").await;
    browser.look("too-many-attempts", &axe).await;

    let with = |change: Value| {
        let mut event = published();
        event.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        event
    };
    for (state, event) in [
        ("over", with(json!({"start_date": "2020-06-06"}))),
        (
            "empty",
            with(json!({"shifts": [], "is_virtual": true, "location": "https://meet.example.org/abc"})),
        ),
        (
            "long",
            with(json!({
                "title": "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft",
                "badge_label": "A badge that goes on and on until it needs another line on a small screen",
                "end_date": "2027-06-07",
                "timezone": "America/Argentina/Buenos_Aires",
                "location": "Bürgerbegegnungszentrumsnebengebäude, Donaudampfschifffahrtsgesellschaftsstraße 1234567890",
                "shifts": [
                    {"title": "مساعدة في توزيع الطعام", "location": "القاعة الكبرى", "capacity": 1_000_000},
                    {"title": "Wort".repeat(60), "location": "Ort".repeat(80), "start_time": "09:00", "capacity": 3},
                    {"title": "A long title ".repeat(19), "end_time": "12:30", "capacity": 3},
                ],
            })),
        ),
        // Clocks go back on this day.
        (
            "clock-change",
            with(json!({"start_date": "2027-11-07", "shifts": [
                {"title": "Night", "start_time": "00:30", "end_time": "05:00", "capacity": 3}, {"title": "Day", "capacity": 3},
            ]})),
        ),
        ("draft", with(json!({"is_published": false}))),
    ] {
        let page = Page::create(&server, &event).await;
        browser.go(&url(&page.path)).await;
        browser.look(state, &axe).await;
    }
}

/// axe-core finds no violation on the page of a cancelled event, nor on the pages of sign-ups that the organizer
/// cancelled, or whose shift is over or removed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_pages_of_places_that_are_gone_are_accessible() {
    let Some(browser) = Browser::start().await else { return };
    let Some(axe) = axe() else { return };
    let mailbox = Mailbox::start();
    let server = Server::start(&["--smtp", &mailbox.url()]);
    let page = Page::create(&server, &published()).await;
    let (url, early, late) = (format!("{}{}", server.url, page.path), page.slot("Early"), page.slot("Late"));
    let mut places = vec![];
    for slot in [&early, &late] {
        assert_eq!(page.sign_up(&server, slot, "Ada", "ada@example.org").await.status, 303);
        let mails = mailbox.wait_for(places.len() + 1, SOON).await;
        places.push(format!("{}{}", server.url, mails[places.len()].signup_path().unwrap()));
    }
    let deletion = format!("/v1/slots/{early}?cancel_signups=true");
    assert_eq!(server.send("DELETE", &deletion, None).await.status, 200);
    browser.go(&places[0]).await;
    browser.wait_for("The organizer has cancelled this shift").await;
    browser.look("shift-removed-my-place", &axe).await;

    browser.go(&url).await;
    // The event is cancelled while the form is open.
    let reason = "The hall is flooded.\n\nWe will try again in autumn: https://riverside.example.org/autumn";
    let path = format!("/v1/events/{}/cancel", page.event["id"].as_str().unwrap());
    assert_eq!(server.post(&path, &json!({"reason": reason})).await.status, 200);
    browser.sign_up(&late, "Bob", "bob@example.org").await;
    browser.wait_for("Sorry, you can’t sign up").await;
    browser.look("event-cancelled-refusal", &axe).await;
    browser.go(&url).await;
    browser.wait_for("This event has been cancelled").await;
    browser.look("event-cancelled", &axe).await;
    browser.go(&places[1]).await;
    browser.wait_for("The organizer has cancelled this event").await;
    browser.look("event-cancelled-my-place", &axe).await;

    let mail = mailbox.wait_for(4, SOON).await.remove(3);
    std::fs::write(target().join("screenshots/mail-cancelled.html"), mail.html()).unwrap();
    browser.go(&format!("file://{}", target().join("screenshots/mail-cancelled.html").display())).await;
    browser.wait_for("The organizer’s reason").await;
    browser.look("mail-cancelled", &axe).await;

    let page = Page::create(&server, &today()).await;
    let slot = page.slot("All day");
    assert_eq!(page.sign_up(&server, &slot, "Ada", "past@example.org").await.status, 303);
    let mail = wait_until(SOON, async || {
        let mail = mailbox.mails().into_iter().find(|mail| mail.to == "past@example.org");
        mail.ok_or_else(|| "no mail to past@example.org arrived".to_owned())
    })
    .await;
    browser.go(&format!("{}{}", server.url, mail.signup_path().unwrap())).await;
    // The shift is over when the volunteer cancels.
    let past = json!({"start_time": "00:00", "end_time": "00:01", "notify_volunteers": false});
    assert_eq!(server.patch(&format!("/v1/slots/{slot}"), &past).await.status, 200);
    browser.driver.find(By::Tag("button")).await.unwrap().click().await.unwrap();
    browser.wait_for("you can no longer cancel your place").await;
    browser.look("over-my-place", &axe).await;
    assert_eq!(server.send("DELETE", &format!("/v1/slots/{slot}"), None).await.status, 200);
    browser.go(&format!("{}{}", server.url, mail.signup_path().unwrap())).await;
    browser.wait_for("This shift has been removed").await;
    browser.look("removed-my-place", &axe).await;
}
