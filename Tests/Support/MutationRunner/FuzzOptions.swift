import Foundation
import Mutants

/// What to try, as the command line says it.
struct FuzzOptions {
  /// Where all numbers come from.
  var seed: UInt64 = 20_261_121
  /// Whose files are damaged: all readers' unless some are named.
  var readers: [FuzzedReader] = []
  /// How many mutants of each reader, a tenth as many for sizes.
  var count = 20_000
  /// How many children run at once.
  var jobs: Int = max(1, min(8, ProcessInfo.processInfo.activeProcessorCount))
  /// Where files that are found are kept.
  var folder = URL(fileURLWithPath: ".build/fuzz")
  /// One number alone.
  var only: Int?
  /// A number over which the child dies, to see that it is found.
  var trap: Int?

  /// Nil where the words are none of ours.
  init?(_ words: some Sequence<String>) {
    var words = Array(words)[...]
    while let option = words.popFirst() {
      guard let value = words.popFirst() else { return nil }
      switch (option, Int(value)) {
      case ("--seed", _):
        guard let number = UInt64(value) else { return nil }
        seed = number
      case ("--reader", _):
        guard let reader = FuzzedReader(rawValue: value) else { return nil }
        readers.append(reader)
      case ("--count", let number?) where number > 0: count = number
      case ("--jobs", let number?) where number > 0: jobs = number
      case ("--only", let number?) where number >= 0: only = number
      case ("--trap", let number?): trap = number
      case ("--keep", _): folder = URL(fileURLWithPath: value)
      default: return nil
      }
    }
    if readers.isEmpty { readers = FuzzedReader.allCases }
  }
}
