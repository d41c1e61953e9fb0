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

/// Returns the fields with which the buttons of a page send what was typed.
fn kept(page: &str) -> Vec<(String, String)> {
    let form = page.split_once("id=\"choice\"").unwrap().1;
    let fields = form.split("<input type=\"hidden\" name=\"").skip(1);
    let fields = fields.map(|field| field.split_once("\" value=\"").unwrap());
    let fields = fields.map(|(name, rest)| (name.to_owned(), rest.split_once('"').unwrap().0));
    fields
        .map(|(name, value)| (name, value.replace("&#34;", "\"").replace("&#60;", "<").replace("&#62;", ">")))
        .collect()
}

#[tokio::test]
async fn a_form_that_meets_a_full_shift_keeps_what_was_typed_for_other_shifts() {
    let waiting = Waiting::start(Language::En).await;
    let Sample { service, pages, event, shift, .. } = &waiting.sample;
    let (packing, client) = (shift.to_string(), IpAddr::V4(Ipv4Addr::LOCALHOST));
    assert_eq!(waiting.send("Ada", &[]).await.status(), 303);
    let answer_of_di = format!("people.2.{}", waiting.answer);
    let family =
        [("slot_id", &*packing), ("people.1.name", ""), ("people.2.name", "D\"<b>"), (&*answer_of_di, "M")];
    for _ in ["sent", "sent once more"] {
        let refused = shown(waiting.send("Bo", &family).await).await;
        assert_eq!((refused.status, &*refused.cache_control), (409, "no-store"));
        let typed = kept(&refused.text);
        let expected = [
            ("change", "form"),
            ("name", "Bo"),
            ("email", "Bo@example.org"),
            (&waiting.answer, "M"),
            ("people.2.name", "D\"<b>"),
            (&answer_of_di, "M"),
        ];
        assert_eq!(typed, expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
        let path =
            format!("signups?slot_id={}&#38;waitlist=1#result\">Join the waiting list<", waiting.night);
        assert!(refused.text.contains(&path), "{}", refused.text);
        assert!(
            !refused.text.contains("method=\"get\""),
            "a query would have what was typed: {}",
            refused.text
        );

        let fields: Vec<_> = typed.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        // A box that is ticked on the page does not count beside the button of one shift.
        let mut request = form(&[&fields[..], &[("slot_id", &packing)]].concat());
        request.query = format!("slot_id={}&waitlist=1", waiting.night);
        let again = shown(pages.clone().sign_up(event.slug.clone(), client, request).await).await;
        assert_eq!((again.status, &*again.cache_control), (200, "no-store"));
        for text in [
            "Your shift<",
            "Night watch",
            "name=\"waitlist\"",
            "value=\"Bo\"",
            "value=\"D&#34;&#60;b&#62;\"",
            "value=\"M\" selected",
        ] {
            assert!(again.text.contains(text), "{text} in {}", again.text);
        }
        assert!(
            !again.text.contains(&packing) && !again.text.contains("There is a problem"),
            "{}",
            again.text
        );

        let request = form(&[&fields[1..], &[("slot_id", &packing), ("change", "shifts")]].concat());
        let shifts = shown(pages.clone().sign_up(event.slug.clone(), client, request).await).await;
        assert_eq!(shifts.status, 200);
        assert!(
            shifts.text.contains("id=\"result\" tabindex=\"-1\"><p>We’ve kept what you typed."),
            "{}",
            shifts.text
        );
        assert!(shifts.text.contains(&format!("value=\"{packing}\" checked")), "{}", shifts.text);

        // Without a word about its waiting list, the shift is full.
        let mut pages = vec![shifts];
        for (slots, status) in [(&[("slot_id", &*waiting.night)][..], 409), (&[], 422)] {
            let request = form(&[&fields[..], slots].concat());
            let refused =
                shown(waiting.sample.pages.clone().sign_up(event.slug.clone(), client, request).await).await;
            assert_eq!(refused.status, status, "{}", refused.text);
            pages.push(refused);
        }
        for page in pages {
            assert_eq!(kept(&page.text), typed, "{}", page.text);
        }
    }
    assert_eq!(waiting.send("Bo", &[&family[1..], &[("waitlist", "1")]].concat()).await.status(), 303);
    let found = service.volunteers().event(&event.slug).await.unwrap();
    let taken = found.shifts.iter().map(|shift| (shift.occupancy.filled, shift.occupancy.waitlisted));
    assert_eq!(taken.collect::<Vec<_>>(), [(2, 0), (0, 0), (1, 2), (0, 0)], "nothing is taken twice");
}

#[tokio::test]
async fn a_form_without_anything_typed_leads_to_the_shifts_as_they_are_chosen() {
    let waiting = Waiting::start(Language::En).await;
    let Sample { pages, event, shift, .. } = &waiting.sample;
    let client = IpAddr::V4(Ipv4Addr::LOCALHOST);
    let mut request = form(&[("slot_id", &shift.to_string()), ("name", ""), ("change", "shifts")]);
    request.query = "open=1".to_owned();
    let page = shown(pages.clone().sign_up(event.slug.clone(), client, request).await).await;
    assert_eq!((page.status, &*page.cache_control), (200, "no-cache"));
    for text in
        ["method=\"get\"", &format!("value=\"{shift}\" checked"), "Only shifts with places are shown."]
    {
        assert!(page.text.contains(text), "{text} in {}", page.text);
    }
    assert!(!page.text.contains("kept what you typed"), "{}", page.text);
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
