import Foundation
import Platform

/// The times of frames. ffmpeg's filter showinfo writes them to standard error before ffmpeg writes the frame.
package final class FrameTimes: Sendable {
  private struct State {
    var times: [Int64?] = []
    var base: (numerator: Int64, denominator: Int64) = (1, 1_000_000)
    var errors: [String] = []
    var errorCount = 0
  }

  private let state = Locked(State())

  package init() {}

  package var firstError: String? { state.withLock { $0.errors.first } }
  package var errorCount: Int { state.withLock { $0.errorCount } }

  package func read(_ line: String) {
    if line.contains("Parsed_showinfo") {
      if let base = Self.word(after: "config in time_base: ", in: line) {
        let parts: [Int64] = base.split(whereSeparator: { $0 == "/" || $0 == "," }).compactMap {
          Int64($0)
        }
        if parts.count >= 2, parts[1] > 0 {
          state.withLock { $0.base = (parts[0], parts[1]) }
        }
      } else if line.contains(" n:"), let text = Self.word(after: " pts:", in: line) {
        state.withLock { state in
          state.times.append(Int64(text).map { Self.microseconds($0, state.base) })
        }
      }
    } else if line.contains("[error]") || line.contains("[fatal]") {
      let text = line.replacingOccurrences(of: "[error] ", with: "")
        .replacingOccurrences(of: "[fatal] ", with: "")
      state.withLock { state in
        state.errorCount += 1
        if state.errors.count < 5 { state.errors.append(text) }
      }
    }
  }

  /// Takes the time of the next frame. Waits for at most a second, because the line may arrive after the frame.
  package func take() -> Int64? {
    for _ in 0..<2000 {
      let found: Int64?? = state.withLock { $0.times.isEmpty ? nil : .some($0.times.removeFirst()) }
      if let found { return found }
      usleep(500)
    }
    return nil
  }

  private static func microseconds(_ time: Int64, _ base: (numerator: Int64, denominator: Int64))
    -> Int64
  {
    let (high, low) = time.multipliedFullWidth(by: base.numerator &* 1_000_000)
    guard high == 0 || high == -1 else { return 0 }
    let product = Int64(bitPattern: low)
    let half: Int64 = base.denominator / 2
    return (product >= 0 ? product + half : product - half) / base.denominator
  }

  private static func word(after mark: String, in line: String) -> Substring? {
    guard let range = line.range(of: mark) else { return nil }
    return line[range.upperBound...].drop { $0 == " " }.prefix { $0 != " " }
  }
}
