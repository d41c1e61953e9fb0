//! Descriptions: Markdown (CommonMark) to HTML.
//!
//! **Invariant:** HTML in a description is shown as text. The elements of the result all come from Markdown.

use pulldown_cmark::{Event, HeadingLevel, Parser, Tag, TagEnd, html};

/// Renders Markdown. All headings get the level `level`, 1 to 6, so that they fit under the heading of the description.
pub(super) fn render(text: &str, level: usize) -> String {
    let heading = HeadingLevel::try_from(level).unwrap_or(HeadingLevel::H6);
    let events = Parser::new(text).map(|event| match event {
        Event::Html(text) | Event::InlineHtml(text) => Event::Text(text),
        Event::Start(Tag::HtmlBlock) => Event::Start(Tag::Paragraph),
        Event::End(TagEnd::HtmlBlock) => Event::End(TagEnd::Paragraph),
        Event::Start(Tag::Heading { .. }) => {
            Event::Start(Tag::Heading { level: heading, id: None, classes: Vec::new(), attrs: Vec::new() })
        }
        Event::End(TagEnd::Heading(_)) => Event::End(TagEnd::Heading(heading)),
        event => event,
    });
    let mut rendered = String::new();
    html::push_html(&mut rendered, events);
    rendered
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_is_rendered_and_html_is_escaped() {
        for (text, html) in [
            (
                "One `a<b>`.\n\nTwo **bold**.",
                "<p>One <code>a&lt;b&gt;</code>.</p>\n<p>Two <strong>bold</strong>.</p>\n",
            ),
            ("- a\n- b", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>\n"),
            ("# Top\n\n### Deep", "<h4>Top</h4>\n<h4>Deep</h4>\n"),
            ("a <b onclick=x>c</b>", "<p>a &lt;b onclick=x&gt;c&lt;/b&gt;</p>\n"),
            ("<script>alert(1)</script>", "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>\n"),
        ] {
            assert_eq!(render(text, 4), html, "{text}");
        }
    }
}
