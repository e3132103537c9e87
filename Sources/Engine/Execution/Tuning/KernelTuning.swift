import Glibc

/// How the engine chooses among several kernels for an operator.
public enum KernelTuning: Sendable, Hashable {
  /// The engine chooses in a fixed order of preference. Machines with the same kind of processor choose the same
  /// kernels, so their results are bit-identical.
  case fixed
  /// The engine chooses by the kernels' times on this machine, which are measured once and stored. A network that may
  /// compute in bfloat16 computes in float32 if float32 is faster.
  case measured

  /// The default: measured, or fixed if the environment variable `ATELIER_TUNING` is `off`.
  public static let standard: KernelTuning = setting == "off" ? .fixed : .measured

  /// Whether measurements are stored in the user's cache folder. False if `ATELIER_TUNING` is `memory`.
  static let keepsFiles: Bool = setting != "memory"

  private static let setting: String = getenv("ATELIER_TUNING").map { String(cString: $0) } ?? ""
}

/// The time of a kernel.
public struct KernelTime: Sendable, Hashable, Encodable {
  /// The candidate's name.
  public let kernel: String
  /// The time of one call in milliseconds. If only a part of the rows was timed, the time is scaled to all rows.
  public let milliseconds: Double

  /// Creates the time of a kernel.
  public init(kernel: String, milliseconds: Double) {
    self.kernel = kernel
    self.milliseconds = milliseconds
  }
}

/// The kernel that was chosen for an operator with certain shapes, and the times that led to the choice.
public struct KernelChoice: Sendable, Hashable {
  /// The chosen candidate.
  public let kernel: String
  /// All timed candidates, in the fixed order.
  public let times: [KernelTime]

  /// The time of the chosen candidate, in milliseconds.
  var milliseconds: Double { times.first { $0.kernel == kernel }?.milliseconds ?? 0 }

  /// Returns the same choice with its times multiplied by a factor.
  func scaled(by factor: Double) -> KernelChoice {
    KernelChoice(
      kernel: kernel,
      times: times.map {
        KernelTime(kernel: $0.kernel, milliseconds: $0.milliseconds * factor)
      })
  }

  /// A candidate replaces an earlier one only if its time is below this fraction of the earlier one's time. If two
  /// times are closer, either candidate may be the faster candidate in the next run.
  static let margin = 0.98
  /// The same fraction for times that other programs disturbed.
  static let roughMargin = 0.94

  /// Starts with the first candidate. Each later candidate replaces the chosen one if the later candidate is faster by
  /// the margin. Nil if there are no times.
  init?(_ times: [KernelTime], margin: Double = margin) {
    guard var best = times.first else { return nil }
    for time in times.dropFirst() where time.milliseconds < best.milliseconds * margin {
      best = time
    }
    self.init(kernel: best.kernel, times: times)
  }

  /// Creates a choice with its times.
  init(kernel: String, times: [KernelTime]) {
    self.kernel = kernel
    self.times = times
  }
}
