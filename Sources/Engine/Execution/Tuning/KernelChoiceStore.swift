import Platform

/// The choices that were made by time: those of this process, and those that the user's cache keeps for the
/// machine.
final class KernelMemory: Sendable {
  /// The process's own, over the user's cache.
  static let shared = KernelMemory(KernelTuning.keepsFiles ? KernelChoiceFile.ofThisMachine() : nil)

  private struct Contents {
    var choices: [String: KernelChoice] = [:]
    /// What is not in the file yet.
    var fresh: [String: KernelChoice] = [:]
    var isRead = false
  }

  private let file: KernelChoiceFile?
  private let contents = Locked(Contents())

  /// An empty memory, over a file where there is one.
  init(_ file: KernelChoiceFile?) { self.file = file }

  /// What was chosen under a key; nil where nothing was.
  func choice(_ key: String) -> KernelChoice? {
    contents.withLock { contents in
      if !contents.isRead {
        contents.isRead = true
        // What this process found out meanwhile is newer.
        if let file { contents.choices.merge(file.read()) { own, _ in own } }
      }
      return contents.choices[key]
    }
  }

  /// Remembers a choice.
  func remember(_ choice: KernelChoice, as key: String) {
    contents.withLock { contents in
      contents.choices[key] = choice
      contents.fresh[key] = choice
    }
  }

  /// The precision in which a network was found to be the fastest; nil where that was not found out.
  func precision(_ key: String) -> Precision? {
    switch choice(key)?.kernel {
    case "bfloat16": .bfloat16
    case "float32": .float32
    default: nil
    }
  }

  /// Remembers the precision in which a network is the fastest.
  func remember(_ precision: Precision, as key: String) {
    let word = precision == .bfloat16 ? "bfloat16" : "float32"
    remember(KernelChoice(kernel: word, times: []), as: key)
  }

  /// Adds what is new to the file. One that cannot be written is left as it is: the next process measures again.
  func keep() {
    let fresh: [String: KernelChoice] = contents.withLock { contents in
      defer { contents.fresh = [:] }
      return contents.fresh
    }
    guard !fresh.isEmpty else { return }
    try? file?.add(fresh)
  }

  /// The key of a network's precision: all its nodes' keys, in their order, as one number.
  static func networkKey(_ keys: [String]) -> String {
    var hash = FowlerHash()
    for key in keys { hash.add(key) }
    return "precision of \(hash.text)"
  }
}

/// The 64-bit hash of Fowler, Noll and Vo (FNV-1a), which is the same in all processes.
struct FowlerHash {
  private var value: UInt64 = 0xcbf2_9ce4_8422_2325

  /// Adds a text and its end.
  mutating func add(_ text: String) {
    for byte in text.utf8 { add(byte) }
    add(0)
  }

  private mutating func add(_ byte: UInt8) {
    value = (value ^ UInt64(byte)) &* 0x100_0000_01b3
  }

  /// Sixteen hexadecimal digits.
  var text: String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
