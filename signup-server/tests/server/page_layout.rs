//! The layout of the page of an event, measured in headless Chromium: how much of it is seen at once.

use serde_json::json;
use thirtyfour::By;

use crate::browser::{Browser, DESKTOP, PHONE};
use crate::harness::Server;
use crate::pages::{Page, published};

/// Creates an event of twelve shifts, which are open, nearly full, full and over-full, with and without a place, all day,
/// and with many places.
pub(crate) async fn busy_event(server: &Server) -> Page {
    let shift = |title: &str, hours: Option<(&str, &str)>, capacity: u32, location: Option<&str>| {
        let (start, end) = hours.unzip();
        json!({"title": title, "start_time": start, "end_time": end, "capacity": capacity, "location": location})
    };
    let mut event = published();
    event["title"] = json!("Food drive at Riverside Hall");
    event["theme"] = json!("ocean-blue");
    event["badge_label"] = json!("Families welcome");
    event["location"] = json!("Riverside Hall, 12 Long Street, Springfield");
    event["description"] = json!(
        "We pack boxes for 400 families.\n\nPlease wear closed shoes; gloves are there. Children from 12 years can help \
         together with an adult. Ask ada@example.org."
    );
    event["shifts"] = json!([
        shift("Setting up", Some(("07:30", "09:00")), 8, None),
        shift("Packing", Some(("09:00", "12:30")), 10, Some("Hall B, upstairs")),
        shift(
            "Loading the vans at the back entrance, and driving them to the six stations",
            Some(("12:00", "14:00")),
            3,
            Some("Back entrance"),
        ),
        shift("Cleaning", Some(("14:00", "15:30")), 3, None),
        shift("Helping with anything", None, 200, None),
        shift("Sorting tins", Some(("09:00", "11:00")), 4, Some("Hall B, upstairs")),
        shift("Welcoming people", Some(("10:00", "13:00")), 2, None),
        shift("Cooking", Some(("10:00", "15:00")), 5, Some("https://maps.example.org/kitchen")),
        shift("Driving", Some(("14:00", "18:00")), 6, None),
        shift("Cleaning again", Some(("15:30", "17:00")), 4, None),
        shift("Taking down", Some(("17:00", "19:00")), 8, None),
        shift("Night watch", Some(("19:00", "23:00")), 1, None),
    ]);
    let page = Page::create(server, &event).await;
    let loading = "Loading the vans at the back entrance, and driving them to the six stations";
    for (title, people) in [("Setting up", 3), ("Packing", 9), ("Cleaning", 3), (loading, 3)] {
        for number in 0..people {
            page.signed_up(server, &page.slot(title), "Ada", &format!("v{number}@example.org")).await;
        }
    }
    server.patch(&format!("/v1/slots/{}", page.slot("Cleaning")), &json!({"capacity": 2})).await;
    page
}

/// Returns the heights of the shifts, and how many of them are wholly on the screen, in pixels.
async fn shifts_on(browser: &Browser) -> (Vec<f64>, usize) {
    let script =
        "const shifts = [...document.querySelectorAll('.shift')].map(shift => shift.getBoundingClientRect());
                  const whole = shifts.filter(({top, bottom}) => top >= 0 && bottom <= innerHeight);
                  return [shifts.map(({height}) => height), whole.length]";
    browser.driver.execute(script, vec![]).await.unwrap().convert().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_shifts_fit_the_screen_of_a_desktop_and_four_that_of_a_phone() {
    let Some(browser) = Browser::start().await else { return };
    let server = Server::start(&[]);
    let page = busy_event(&server).await;
    // In a wide font, such as DejaVu Sans, the longest title has one line more.
    for (screen, least, tallest) in [(DESKTOP, 10, 75.0), (PHONE, 4, 150.0)] {
        browser.screen(screen, "light").await;
        browser.go(&format!("{}{}", server.url, page.path)).await;
        let (heights, whole) = shifts_on(&browser).await;
        assert_eq!(heights.len(), 12);
        assert!(whole >= least, "{whole} shifts are on the screen {screen:?}: {heights:?}");
        assert!(heights.iter().all(|height| *height <= tallest), "{heights:?} on {screen:?}");
    }
}

/// Without a script: the action of the form has the id of the summary as its fragment.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refused_form_is_seen_first_and_its_summary_has_the_focus() {
    let Some(browser) = Browser::start().await else { return };
    let server = Server::start(&[]);
    let page = busy_event(&server).await;
    let slot = page.slot("Taking down");
    let top = "return arguments[0].getBoundingClientRect().top";
    for screen in [DESKTOP, PHONE] {
        browser.screen(screen, "light").await;
        browser.go(&format!("{}{}/signups?slot_id={slot}", server.url, page.path)).await;
        browser.do_not_validate().await;
        browser.send_form("", "").await;
        browser.wait_for("There is a problem").await;
        let summary = browser.driver.find(By::Css(".problem")).await.unwrap();
        let found = browser.driver.execute(top, vec![summary.to_json().unwrap()]).await.unwrap();
        let summary_top = found.convert::<f64>().unwrap();
        assert!((0.0..160.0).contains(&summary_top), "the summary is at {summary_top} on {screen:?}");
        let focused = browser.driver.active_element().await.unwrap();
        assert_eq!(focused.element_id(), summary.element_id());
    }
}
