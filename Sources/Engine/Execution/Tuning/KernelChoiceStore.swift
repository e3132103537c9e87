import Platform

/// The kernel choices that were made by measured times: those of this process and those in the user's cache folder.
final class KernelChoiceStore: Sendable {
  /// The choices of this process, backed by the file in the user's cache folder.
  static let shared = KernelChoiceStore(
    KernelTuning.keepsFiles ? KernelChoiceFile.ofThisMachine() : nil)

  private struct Contents {
    var choices: [String: KernelChoice] = [:]
    /// The choices that are not in the file yet.
    var fresh: [String: KernelChoice] = [:]
    var isRead = false
  }

  private let file: KernelChoiceFile?
  private let contents = Locked(Contents())

  /// Creates an empty store. If a file is given, the store reads the choices in the file and adds new choices to the
  /// file.
  init(_ file: KernelChoiceFile?) { self.file = file }

  /// Returns the choice for a key. Nil if there is no choice.
  func choice(_ key: String) -> KernelChoice? {
    contents.withLock { contents in
      if !contents.isRead {
        contents.isRead = true
        // Choices of this process are newer than those in the file.
        if let file { contents.choices.merge(file.read()) { own, _ in own } }
      }
      return contents.choices[key]
    }
  }

  /// Stores a choice.
  func remember(_ choice: KernelChoice, as key: String) {
    contents.withLock { contents in
      contents.choices[key] = choice
      contents.fresh[key] = choice
    }
  }

  /// Returns the fastest measured precision of a network. Nil if no precision was measured.
  func precision(_ key: String) -> Precision? {
    switch choice(key)?.kernel {
    case "bfloat16": .bfloat16
    case "float32": .bfloat16Pairs
    default: nil
    }
  }

  /// Stores the fastest precision of a network.
  func remember(_ precision: Precision, as key: String) {
    let word = precision == .bfloat16 ? "bfloat16" : "float32"
    remember(KernelChoice(kernel: word, times: []), as: key)
  }

  /// Adds new choices to the file. If the file cannot be written, the next process measures again.
  func save() {
    let fresh: [String: KernelChoice] = contents.withLock { contents in
      defer { contents.fresh = [:] }
      return contents.fresh
    }
    guard !fresh.isEmpty else { return }
    try? file?.add(fresh)
  }

  /// Returns the key for a network's precision: a hash of the keys of all nodes of the network, in the order of the
  /// nodes.
  static func networkKey(_ keys: [String]) -> String {
    var hash = FNV1a()
    for key in keys { hash.add(key.utf8, endedBy: 0) }
    return "precision of \(hash.text)"
  }
}
