//! Headless Chromium: the tests of pages type into their forms, and take pictures of their states.
//!
//! axe-core checks the accessibility. The first run installs axe-core with npm. The tests write screenshots and the text
//! of every state to `target/screenshots`. In CI they take no screenshots, because nobody looks at them.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::io::{self, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;
use signup_store_sql::test_cluster::installed;
use thirtyfour::prelude::*;

use crate::console::Organizer;
use crate::mailbox::Mail;
use crate::packages::{AXE, on_path, target};
use crate::pictures::Pictures;
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
/// A sheet of A4 at 96 dots per inch, without margins.
const PAPER: (u32, u32) = (794, 1123);

/// A script: returns the ids that no element has and a description or a link names, and the ids that several elements have.
const LOOSE_REFERENCES: &str = "
    const ids = [...document.querySelectorAll('[id]')].map(element => element.id);
    const described = [...document.querySelectorAll('[aria-describedby]')];
    const links = [...document.querySelectorAll('a[href^=\"#\"]')];
    const named = described.flatMap(element => element.getAttribute('aria-describedby').split(' ').filter(Boolean));
    const targets = [...named, ...links.map(link => decodeURIComponent(link.getAttribute('href').slice(1)))];
    return [...targets.filter(id => !ids.includes(id)), ...ids.filter((id, at) => ids.indexOf(id) !== at)];";

/// A browser for one test. Dropping this value ends the browser.
pub(crate) struct Browser {
    pub(crate) driver: WebDriver,
    process: Child,
    port: u16,
    session: String,
    /// The states of which [`Browser::look`] has taken pictures.
    pictures: RefCell<BTreeSet<String>>,
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
    // chromedriver answers when the session has ended, and keeps the connection.
    stream.read(&mut [0; 1]).map(|_| ())
}

/// Starts chromedriver, and returns its port. Chooses another port while the one that chromedriver has chosen is taken.
fn start_driver(program: &Path) -> (Child, u16) {
    loop {
        let mut driver = Command::new(program);
        let driver = driver.arg("--port=0").stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = driver.spawn().unwrap();
        if let Some(port) = chromedriver_port(&mut process) {
            return (process, port);
        }
        process.wait().unwrap();
    }
}

impl Browser {
    /// Starts chromedriver and a browser. Returns `None` if one of them is not installed.
    pub(crate) async fn start() -> Option<Self> {
        installed("Chromium", on_path("chromium"))?;
        let program = installed("chromedriver", on_path("chromedriver"))?;
        let (process, port) = start_driver(&program);
        let mut wanted = DesiredCapabilities::chrome();
        for argument in ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"] {
            wanted.add_arg(argument).unwrap();
        }
        let driver = WebDriver::new(format!("http://127.0.0.1:{port}"), wanted).await.unwrap();
        let session = driver.handle().session_id().to_string();
        Some(Self { driver, process, port, session, pictures: RefCell::default() })
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

    /// Signs in as the person who is signed in in another browser.
    pub(crate) async fn sign_in_as(&self, organizer: &Organizer<'_>) {
        self.go(&format!("{}/sign-in", organizer.server.url)).await;
        let cookie = Cookie::new("signup", organizer.cookie("signup").unwrap());
        self.driver.add_cookie(cookie).await.unwrap();
    }

    /// Finds the field of this name in the main part of the page.
    pub(crate) async fn field(&self, name: &str) -> WebElement {
        let field = format!("main [name='{name}']:not([type=hidden])");
        self.driver.find(By::Css(field)).await.unwrap()
    }

    /// Types a text into the field of this name, in place of its value. Dates and times are written as in a form that is sent: how
    /// a person types them depends on the language of the browser.
    pub(crate) async fn fill(&self, name: &str, text: &str) {
        let field = self.field(name).await;
        if matches!(field.attr("type").await.unwrap().as_deref(), Some("date" | "time")) {
            let set = vec![field.to_json().unwrap(), json!(text)];
            self.driver.execute("arguments[0].value = arguments[1]", set).await.unwrap();
            return;
        }
        field.clear().await.unwrap();
        field.send_keys(text).await.unwrap();
    }

    /// Presses the first button in the main part of the page whose text begins with `text`.
    pub(crate) async fn press(&self, text: &str) {
        let button = format!("//main//button[starts-with(normalize-space(.), '{text}')]");
        self.driver.find(By::XPath(button)).await.unwrap().click().await.unwrap();
    }

    /// Unfolds what stands behind the first summary in the main part of the page whose text begins with `text`.
    pub(crate) async fn unfold(&self, text: &str) {
        let summary = format!("//main//summary[starts-with(normalize-space(.), '{text}')]");
        self.driver.find(By::XPath(summary)).await.unwrap().click().await.unwrap();
    }

    /// Follows the first link in the main part of the page whose text begins with `text`.
    pub(crate) async fn follow(&self, text: &str) {
        let link = format!("//main//a[starts-with(normalize-space(.), '{text}')]");
        self.driver.find(By::XPath(link)).await.unwrap().click().await.unwrap();
    }

    /// Finds an element within the shift with this id.
    pub(crate) async fn of_shift(&self, slot: &str, selector: &str) -> WebElement {
        self.driver.find(By::Css(format!("#slot-{slot} {selector}"))).await.unwrap()
    }

    /// Opens the form of a shift, fills it in and submits it, with the keyboard only.
    pub(crate) async fn sign_up(&self, slot: &str, name: &str, email: &str) {
        self.open_form(slot).await;
        self.send_form(name, email).await;
    }

    /// Fills the form in and submits it, with the keyboard only.
    pub(crate) async fn send_form(&self, name: &str, email: &str) {
        self.field("name").await.send_keys(name).await.unwrap();
        let field = self.field("email").await;
        field.send_keys(email).await.unwrap();
        field.send_keys(Key::Enter).await.unwrap();
    }

    /// Follows the link of a shift to its form, with the keyboard.
    pub(crate) async fn open_form(&self, slot: &str) {
        self.of_shift(slot, "a.button").await.send_keys(Key::Enter).await.unwrap();
        self.wait_for("Your shift").await;
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

    /// Saves a picture of the page at this width, under a name. Does nothing in CI.
    async fn picture(&self, name: &str, width: u32, height: u32) {
        if std::env::var_os("CI").is_some() {
            return;
        }
        let clip = json!({"x": 0, "y": 0, "width": width, "height": height.min(MAX_HEIGHT), "scale": 1});
        let picture = json!({"format": "png", "captureBeyondViewport": true, "clip": clip});
        let picture = self.driver.cdp().send_raw("Page.captureScreenshot", picture).await.unwrap();
        let picture = STANDARD.decode(picture["data"].as_str().unwrap()).unwrap();
        std::fs::write(screenshots().join(format!("{name}.png")), picture).unwrap();
    }

    /// Returns the width and the height of the page.
    async fn size(&self) -> (u32, u32) {
        let size = "return [document.documentElement.scrollWidth, document.documentElement.scrollHeight]";
        self.driver.execute(size, vec![]).await.unwrap().convert().unwrap()
    }

    /// Takes a screenshot of the page as it is printed. Panics if it is wider than the paper.
    pub(crate) async fn look_printed(&self, state: &str) {
        self.screen(PAPER, "light").await;
        let print = json!({"media": "print"});
        self.driver.cdp().send_raw("Emulation.setEmulatedMedia", print).await.unwrap();
        let (wide, high) = self.size().await;
        assert!(wide <= PAPER.0, "{state} is {wide} pixels wide on paper");
        self.picture(&format!("{state}-printed"), PAPER.0, high).await;
        self.screen(DESKTOP, "light").await;
    }

    /// Prints the page to a PDF for paper of this width and height in inches, and returns the number of sheets and whether the
    /// first one is in landscape.
    pub(crate) async fn print(&self, name: &str, (width, height): (f64, f64)) -> (usize, bool) {
        let print = json!({"paperWidth": width, "paperHeight": height, "preferCSSPageSize": true});
        let printed = self.driver.cdp().send_raw("Page.printToPDF", print).await.unwrap();
        let pdf = STANDARD.decode(printed["data"].as_str().unwrap()).unwrap();
        std::fs::write(screenshots().join(format!("{name}.pdf")), &pdf).unwrap();
        let pdf = String::from_utf8_lossy(&pdf);
        let (_, sheet) = pdf.split_once("/MediaBox [0 0 ").unwrap();
        let size: Vec<f64> = sheet.split([' ', ']']).take(2).map(|side| side.parse().unwrap()).collect();
        (pdf.matches("/Type /Page\n").count(), size[0] > size[1])
    }

    /// Returns the height in centimetres of an element on paper of this width and height in inches, with the margins of a sheet.
    pub(crate) async fn printed_height(&self, (width, height): (f64, f64), selector: &str) -> f64 {
        const PER_INCH: f64 = 96.0;
        const CENTIMETRES: f64 = 2.54;
        let inside = |side: f64| ((side - 2.4 / CENTIMETRES) * PER_INCH) as u32;
        self.screen((inside(width), inside(height)), "light").await;
        let print = json!({"media": "print"});
        self.driver.cdp().send_raw("Emulation.setEmulatedMedia", print).await.unwrap();
        let script = "return document.querySelector(arguments[0]).getBoundingClientRect().height";
        let height = self.driver.execute(script, vec![json!(selector)]).await.unwrap();
        self.screen(DESKTOP, "light").await;
        height.json().as_f64().unwrap() / PER_INCH * CENTIMETRES
    }

    /// Shows the HTML part of a mail, and [looks](Self::look) at it.
    pub(crate) async fn look_at_mail(&self, state: &str, mail: &Mail, axe: &str) {
        let file = screenshots().join(format!("{state}.html"));
        std::fs::write(&file, mail.html()).unwrap();
        self.go(&format!("file://{}", file.display())).await;
        self.look(state, axe).await;
    }

    /// Panics unless the pictures of this browser are those of the list.
    pub(crate) fn assert_has_pictures(&self, pictures: &Pictures) {
        let listed: BTreeSet<_> = pictures.iter().flat_map(|(_, states)| *states).copied().collect();
        let taken = self.pictures.borrow();
        assert_eq!(taken.iter().map(String::as_str).collect::<BTreeSet<_>>(), listed);
    }

    /// Goes to a page, and [looks](Self::look) at it.
    pub(crate) async fn go_and_look(&self, url: &str, state: &str, axe: &str) {
        self.go(url).await;
        self.look(state, axe).await;
    }

    /// Presses a button, waits for the text of the page that follows, and [looks](Self::look) at it.
    pub(crate) async fn press_and_look(&self, button: &str, text: &str, state: &str, axe: &str) {
        self.press(button).await;
        self.wait_for(text).await;
        self.look(state, axe).await;
    }

    /// Checks the page with axe and takes screenshots, on a phone and a desktop, in light and dark. Saves the text, too.
    pub(crate) async fn look(&self, state: &str, axe: &str) {
        self.pictures.borrow_mut().insert(state.to_owned());
        let text = self.driver.find(By::Tag("body")).await.unwrap().text().await.unwrap();
        std::fs::write(screenshots().join(format!("{state}.txt")), text).unwrap();
        let loose = self.driver.execute(LOOSE_REFERENCES, vec![]).await.unwrap();
        assert_eq!(loose.json(), &json!([]), "{state} refers to elements that it lacks, or has an id twice");
        self.driver.execute(axe, vec![]).await.unwrap();
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
            let (wide, high) = self.size().await;
            assert!(wide <= width, "{state} is {wide} pixels wide on a screen of {width}");
            if [NARROW, ZOOMED].contains(&screen) {
                continue;
            }
            self.picture(&format!("{state}-{width}-{scheme}"), width, high).await;
            // Of what axe checks, a scheme changes the colours only. They take axe longest, so it checks each scheme on one screen.
            let options = match (screen, scheme) {
                (PHONE, "light") => json!({}),
                (DESKTOP, "light") => json!({"rules": {"color-contrast": {"enabled": false}}}),
                (DESKTOP, _) => json!({"runOnly": ["color-contrast"]}),
                _ => continue,
            };
            let script = "
                const [chosen, done] = arguments;
                const options = {resultTypes: ['violations'], ...chosen};
                axe.run(options).then(found => done(found.violations), error => done(String(error)));";
            let found = self.driver.execute_async(script, vec![options]).await.unwrap();
            assert_eq!(found.json(), &json!([]), "{state}, {width} pixels, {scheme}");
        }
    }
}

/// Returns the folder of the screenshots.
fn screenshots() -> PathBuf {
    let folder = target().join("screenshots");
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Returns the source of axe-core. Returns `None` if npm is not installed.
pub(crate) fn axe() -> Option<String> {
    let file = AXE.installed()?.join("node_modules/axe-core/axe.min.js");
    Some(std::fs::read_to_string(file).unwrap())
}
