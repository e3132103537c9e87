import Foundation

extension HTTPResponse {
  /// Creates a response that sends a file, or the part of it that a request asks for. Players of films ask for parts.
  ///
  /// A request for several parts, and one for a part of an earlier version of the file, get the complete file.
  ///
  /// - Throws: ``HTTPError`` of status 416 if the part begins after the end of the file.
  ///
  /// **Source:** RFC 9110, sections 13.1.5 and 14.
  public init(type: String, file: URL, for head: HTTPHead) throws {
    let opened = try OpenFile(file)
    let headers = [("Content-Type", type), ("Accept-Ranges", "bytes"), ("ETag", opened.tag)]
    let isSameVersion: Bool = head.header("if-range").map { $0 == opened.tag } ?? true
    guard head.method == "GET", isSameVersion,
      let wanted = head.header("range").flatMap({ ByteRange($0) })
    else {
      self.init(200, headers: headers, body: .file(opened))
      return
    }
    guard let range = wanted.range(in: opened.count) else {
      throw HTTPError(
        416, "no_such_range", "The file has \(opened.count) bytes; the range begins after them.",
        headers: [("Content-Range", "bytes */\(opened.count)")])
    }
    self.init(
      206,
      headers: headers + [
        (
          "Content-Range",
          "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(opened.count)"
        )
      ], body: .part(opened, range))
  }
}

/// The range of bytes of a `Range` header.
private enum ByteRange {
  /// From a byte to another one, which belongs to the range. Without an end, to the last byte.
  case from(Int, to: Int?)
  /// The last bytes.
  case last(Int)

  /// Parses `bytes=1-2`, `bytes=1-` or `bytes=-2`. Returns nil for anything else, including several ranges.
  init?(_ text: String) {
    let halves = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard halves.count == 2, halves[0].lowercased() == "bytes" else { return nil }
    let ends = halves[1].trimmingCharacters(in: .whitespaces)
      .split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2 else { return nil }
    let numbers: [Int?] = ends.map { end in
      // Int also reads signs.
      end.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Int(end) : nil
    }
    switch (numbers[0], numbers[1]) {
    case (let begin?, let end?) where begin <= end: self = .from(begin, to: end)
    case (let begin?, nil) where ends[1].isEmpty: self = .from(begin, to: nil)
    case (nil, let count?) where ends[0].isEmpty: self = .last(count)
    default: return nil
    }
  }

  /// Returns the indices of the bytes in a file. Returns nil if the file has none of them.
  func range(in count: Int) -> Range<Int>? {
    switch self {
    case .from(let begin, let end):
      guard begin < count else { return nil }
      return begin..<min(count, end.map { $0 < count ? $0 + 1 : count } ?? count)
    case .last(let wanted):
      guard wanted > 0, count > 0 else { return nil }
      return max(0, count - wanted)..<count
    }
  }
}
