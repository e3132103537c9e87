/// Whether a value appears in the log.
///
/// Here, values with the privacy `auto` appear. Apple's log hides texts and objects with that privacy if the program
/// runs without a debugger.
public struct OSLogPrivacy: Sendable, Equatable {
  /// How a hidden value is replaced.
  public enum Mask: Sendable, Equatable {
    /// By a number, the same for equal values while the process runs.
    case hash
    /// By a fixed text.
    case none
  }

  private enum Kind: Sendable { case auto, open, hidden, sensitive }
  private let kind: Kind
  private let mask: Mask

  /// The value appears.
  public static let auto: OSLogPrivacy = OSLogPrivacy(kind: .auto, mask: .none)
  /// The value appears.
  public static let `public`: OSLogPrivacy = OSLogPrivacy(kind: .open, mask: .none)
  /// The value is hidden.
  public static let `private`: OSLogPrivacy = OSLogPrivacy(kind: .hidden, mask: .none)
  /// The value is hidden.
  public static let sensitive: OSLogPrivacy = OSLogPrivacy(kind: .sensitive, mask: .none)

  /// Hides the value, or replaces it by a number.
  public static func `private`(mask: Mask) -> OSLogPrivacy {
    OSLogPrivacy(kind: .hidden, mask: mask)
  }

  /// Hides the value, or replaces it by a number.
  public static func sensitive(mask: Mask) -> OSLogPrivacy {
    OSLogPrivacy(kind: .sensitive, mask: mask)
  }

  /// Shows the value, or replaces it by a number.
  public static func auto(mask: Mask) -> OSLogPrivacy { OSLogPrivacy(kind: .auto, mask: mask) }

  func shown(_ value: String) -> String {
    if mask == .hash {
      return "<mask.hash: '\(String(UInt(bitPattern: value.hashValue), radix: 16))'>"
    }
    switch kind {
    case .auto, .open: return value
    case .hidden: return "<private>"
    case .sensitive: return "<sensitive>"
    }
  }
}
