import Glibc

/// How a kernel is chosen where several fit an operator.
public enum KernelTuning: Sendable, Hashable {
  /// By a fixed order: the same kernels on all machines of a kind, and so the same bits.
  case fixed
  /// By their times on this machine, which are measured once and remembered. A network that may compute in
  /// bfloat16 computes in float32 where that is faster.
  case measured

  /// What is done unless somebody says otherwise: measured, or fixed where `ATELIER_TUNING` is `off` in the
  /// environment.
  public static let standard: KernelTuning = setting == "off" ? .fixed : .measured

  /// Whether what was measured is kept in the user's cache; not where `ATELIER_TUNING` is `memory`.
  static let keepsFiles: Bool = setting != "memory"

  private static let setting: String = getenv("ATELIER_TUNING").map { String(cString: $0) } ?? ""
}

/// The time of a kernel.
public struct KernelTime: Sendable, Hashable, Encodable {
  /// The candidate's name.
  public let kernel: String
  /// The time of one call, in milliseconds. Where a part of the rows was timed, that of all rows by proportion.
  public let milliseconds: Double

  /// A time.
  public init(kernel: String, milliseconds: Double) {
    self.kernel = kernel
    self.milliseconds = milliseconds
  }
}

/// Which kernel computes an operator of certain shapes, and by which times.
public struct KernelChoice: Sendable, Hashable {
  /// The candidate that was taken.
  public let kernel: String
  /// All candidates that were timed, in the order in which they would be taken untimed.
  public let times: [KernelTime]

  /// The time of the candidate that was taken, in milliseconds.
  var milliseconds: Double { times.first { $0.kernel == kernel }?.milliseconds ?? 0 }

  /// The same choice with the times of other work, by a factor.
  func scaled(by factor: Double) -> KernelChoice {
    KernelChoice(
      kernel: kernel,
      times: times.map {
        KernelTime(kernel: $0.kernel, milliseconds: $0.milliseconds * factor)
      })
  }

  /// How much faster than an earlier one a candidate must be to be taken: what is closer together than that
  /// may lie in the other order the next time.
  static let margin = 0.98
  /// The same where others took the processors meanwhile.
  static let roughMargin = 0.94

  /// The fastest of some times; the first of them where none is faster by a margin. Nil where there are none.
  init?(_ times: [KernelTime], margin: Double = margin) {
    guard var best = times.first else { return nil }
    for time in times.dropFirst() where time.milliseconds < best.milliseconds * margin {
      best = time
    }
    self.init(kernel: best.kernel, times: times)
  }

  /// A choice that was made before.
  init(kernel: String, times: [KernelTime]) {
    self.kernel = kernel
    self.times = times
  }
}
