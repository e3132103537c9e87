import Foundation
import Platform
import Testing

@Suite("Quotations in error messages")
struct ErrorSentenceTests {
  @Test("A plain sentence stays unchanged")
  func plain() {
    let sentence =
      "Convolution 'conv2_1': weights hold 36,864 values, expected 73,728 (64 × 128 × 3 × 3)."
    #expect(ErrorSentence.tidied(sentence) == sentence)
  }

  @Test("Control characters are escaped")
  func controls() {
    #expect(ErrorSentence.tidied("'a\u{1B}[2Jb\nc\u{202E}d'") == #"'a\u{1b}[2Jb\u{a}c\u{202e}d'"#)
  }

  @Test("A name of 100,000 letters is shortened to its beginning, its end and its length")
  func long() {
    let tidy = ErrorSentence.tidied("Layer '\(String(repeating: "a", count: 100_000))z' is odd.")
    #expect(tidy.hasPrefix("Layer 'aaaa"))
    #expect(tidy.hasSuffix("aaaz' is odd."))
    #expect(tidy.contains("100003 characters"))
    #expect(tidy.count < 400)
    let spaced = ErrorSentence.tidied(String(repeating: "ab ", count: 100_000))
    #expect(spaced.count < 2100)
  }

  @Test("For Foundation's errors, only the system's reason is used")
  func reasons() throws {
    let folder = URL(fileURLWithPath: "/proc/no-such-folder/file")
    let error = #expect(throws: (any Error).self) { try Data([1]).write(to: folder) }
    let reason = ErrorSentence.reason(of: try #require(error))
    #expect(reason == "No such file or directory" || reason == "Permission denied")
    let full = CocoaError(
      .fileWriteOutOfSpace,
      userInfo: [NSUnderlyingErrorKey: NSError(domain: NSPOSIXErrorDomain, code: Int(ENOSPC))])
    #expect(ErrorSentence.reason(of: full) == "No space left on device")
    #expect(ErrorSentence.reason(of: CocoaError(.fileWriteFileExists)) == "File exists")
  }

  @Test("Every number is processed once, on several threads", arguments: [0, 1, 2, 1000])
  func concurrently(_ count: Int) {
    let seen = Locked([Int](repeating: 0, count: count))
    performConcurrently(count) { number in seen.withLock { $0[number] += 1 } }
    #expect(seen.withLock { $0.allSatisfy { $0 == 1 } })
  }
}
