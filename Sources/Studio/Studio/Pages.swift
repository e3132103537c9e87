import CStudioPages
import Foundation
import Service

/// The pages, which are part of the program.
struct Pages: Sendable {
  private struct Page: Sendable {
    let type: String
    let bytes: UnsafeStaticBytes
    let tag: String
  }

  private let pages: [String: Page]

  /// All that the program brings.
  init() {
    var pages: [String: Page] = [:]
    var count = 0
    let files = UnsafeBufferPointer(start: studio_pages(&count), count: count)
    for file in files {
      let bytes = UnsafeRawBufferPointer(start: file.bytes, count: file.count)
      pages[String(cString: file.path)] = Page(
        type: String(cString: file.type), bytes: UnsafeStaticBytes(bytes),
        tag: "\"\(Self.digest(bytes))\"")
    }
    self.pages = pages
  }

  /// The bytes of a file of the program.
  func bytes(_ path: String) -> UnsafeRawBufferPointer? { pages[path]?.bytes.bytes }

  /// The answer to a request for a page; nil where there is none of that name.
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

  /// FNV-1a of 64 bits: tells versions of a page apart.
  private static func digest(_ bytes: UnsafeRawBufferPointer) -> String {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return String(hash, radix: 16)
  }
}
