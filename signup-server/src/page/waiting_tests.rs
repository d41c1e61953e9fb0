//! The pages of people who wait for a place, in each language. The snapshots are read by people who speak the language.

use std::net::{IpAddr, Ipv4Addr};

use insta::assert_snapshot;
use signup_core::{EventPatch, Language};
use warp::http::HeaderMap;
use warp::http::header::{COOKIE, SET_COOKIE};

use super::cancelled_tests::{Sample, form, shown};
use super::language_tests::{event, read};
use super::*;

/// An event with waiting lists, and the id of a shift with one place.
struct Waiting {
    sample: Sample,
    night: String,
    answer: String,
}

impl Waiting {
    async fn start(language: Language) -> Self {
        let (sample, shifts) = event(language).await;
        let patch = EventPatch::new().waiting_list(true);
        sample.session.patch_event(sample.event.id, patch).await.unwrap();
        let found = sample.service.volunteers().event(&sample.event.slug).await.unwrap();
        let answer = format!("answer.{}", found.questions[0].id);
        Self { sample, night: shifts[2].to_string(), answer }
    }

    async fn send(&self, name: &str, fields: &[(&str, &str)]) -> Response {
        let email = format!("{name}@example.org");
        let person = [("slot_id", &*self.night), ("name", name), ("email", &*email), (&*self.answer, "M")];
        let request = form(&[&person, fields].concat());
        let client = IpAddr::V4(Ipv4Addr::LOCALHOST);
        self.sample.pages.clone().sign_up(self.sample.event.slug.clone(), client, request).await
    }
}

/// Returns the secret of the link in the mail to Bo.
async fn secret_of_bo(sample: &Sample) -> String {
    let outbox = sample.service.outbox();
    for notice in outbox.due(2).await.unwrap() {
        let mail = outbox.claim(&notice).await.unwrap().unwrap();
        if mail.recipient().as_str() == "Bo@example.org" {
            return mail.secret.unwrap().reveal().to_string();
        }
    }
    panic!("no mail to Bo");
}

/// Returns the pages that a volunteer sees who finds no place and waits.
async fn pages(language: Language) -> String {
    let waiting = Waiting::start(language).await;
    let Waiting { sample, night, .. } = &waiting;
    let (pages, slug) = (&sample.pages, &sample.event.slug);
    assert_eq!(waiting.send("Ada", &[]).await.status(), 303);
    let mut all = read(pages.clone().event(slug.clone(), String::new()).await).await;
    all += &read(waiting.send("Bo", &[]).await).await;
    all += &read(pages.clone().form(slug.clone(), format!("slot_id={night}&waitlist=1")).await).await;
    let done = waiting.send("Bo", &[("waitlist", "1")]).await;
    let cookie = done.headers()[SET_COOKIE].to_str().unwrap().split(';').next().unwrap().parse().unwrap();
    let headers = HeaderMap::from_iter([(COOKIE, cookie)]);
    all += &read(pages.clone().signed_up(slug.clone(), headers).await).await;
    let secret = secret_of_bo(sample).await;
    all += &read(pages.clone().places(secret.clone()).await).await;
    all += &read(pages.clone().ask_to_cancel(secret.clone(), String::new()).await).await;
    all.replace(&secret, "{secret}").replace(&**slug, "{slug}")
}

#[tokio::test]
async fn the_pages_of_waiting_speak_the_language_of_their_event() {
    for language in [Language::En, Language::De, Language::Fr, Language::Es] {
        assert_snapshot!(format!("waiting_{language}"), pages(language).await);
    }
}

#[tokio::test]
async fn a_shift_with_too_few_places_for_a_family_offers_its_waiting_list() {
    let waiting = Waiting::start(Language::En).await;
    let answer_of_bo = format!("people.1.{}", waiting.answer);
    let family = [("people.1.name", "Bo"), (&*answer_of_bo, "M")];
    let refused = shown(waiting.send("Ada", &family).await).await;
    let link = format!("signups?slot_id={}&#38;waitlist=1", waiting.night);
    assert!(refused.status == 409 && refused.text.contains(&link), "{}", refused.text);
    let taken = waiting.send("Ada", &[&family[..], &[("waitlist", "1")]].concat()).await;
    assert_eq!(taken.status(), 303);
    let found = waiting.sample.service.volunteers().event(&waiting.sample.event.slug).await.unwrap();
    let night = found.shifts.iter().find(|shift| shift.id.to_string() == waiting.night).unwrap();
    assert_eq!((night.occupancy.filled, night.occupancy.waitlisted), (1, 1));
}

/// The page does not say that a place is saved: all that the form gave may be a place in the line.
#[tokio::test]
async fn a_form_that_waits_and_is_refused_in_part_says_so_to_everybody() {
    let waiting = Waiting::start(Language::En).await;
    assert_eq!(waiting.send("Ada", &[]).await.status(), 303);
    let found = waiting.sample.service.volunteers().event(&waiting.sample.event.slug).await.unwrap();
    // The last shift takes nobody.
    let parking = found.shifts[3].id.to_string();
    for name in ["Ada", "Bob", "Bob"] {
        let page =
            shown(waiting.send(name, &[("waitlist", "1"), ("slot_id", &parking), ("overlap", "1")]).await)
                .await;
        assert_eq!(page.status, 409);
        for text in ["Your sign-ups for some shifts are saved", "If a shift was full"] {
            assert!(page.text.contains(text), "{text} in {}", page.text);
        }
        assert!(!page.text.contains("some of your places"), "{}", page.text);
    }
}

/// The answer to a form with `waitlist` is the same for a person with a place, one who waits and one who is new.
#[tokio::test]
async fn joining_a_waiting_list_does_not_tell_who_is_signed_up() {
    let waiting = Waiting::start(Language::En).await;
    assert_eq!(waiting.send("Ada", &[]).await.status(), 303);
    let mut cookies = vec![];
    for name in ["Ada", "Bob", "Bob", "Cyd"] {
        let answer = waiting.send(name, &[("waitlist", "1")]).await;
        let cookie = answer.headers()[SET_COOKIE].to_str().unwrap().to_owned();
        cookies.push((answer.status(), cookie.len()));
    }
    assert!(cookies.iter().all(|cookie| *cookie == cookies[0]), "{cookies:?}");
}
