import CStudioPages
import Foundation
import Platform
import Service

/// The web pages, which are embedded in the program.
struct Pages: Sendable {
  private struct Page: Sendable {
    let type: String
    let bytes: UnsafeStaticBytes
    let tag: String
  }

  private let pages: [String: Page]

  /// Lists all embedded files.
  init() {
    var pages: [String: Page] = [:]
    var count = 0
    let files = UnsafeBufferPointer(start: studio_pages(&count), count: count)
    for file in files {
      let bytes = UnsafeRawBufferPointer(start: file.bytes, count: file.count)
      pages[String(cString: file.path)] = Page(
        type: String(cString: file.type), bytes: UnsafeStaticBytes(bytes),
        tag: "\"\(String(FNV1a(bytes).value, radix: 16))\"")
    }
    self.pages = pages
  }

  /// Returns the bytes of an embedded file.
  func bytes(_ path: String) -> UnsafeRawBufferPointer? { pages[path]?.bytes.bytes }

  /// Returns the response to a request for a page, or nil if there is no page of the requested name.
  func answer(_ head: HTTPHead) -> HTTPResponse? {
    guard head.method == "GET" || head.method == "HEAD" else { return nil }
    let path = head.path.isEmpty ? "index.html" : head.path.joined(separator: "/")
    guard let page = pages[path] else { return nil }
    let headers = [
      ("Content-Type", page.type), ("Cache-Control", "no-cache"), ("ETag", page.tag),
    ]
    if head.header("if-none-match") == page.tag { return HTTPResponse(304, headers: headers) }
    return HTTPResponse(200, headers: headers, body: .lasting(page.bytes))
  }
}
