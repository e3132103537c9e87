import Dispatch
import Foundation
import Platform

/// A span of time of a scheduler.
public protocol SchedulerTimeIntervalConvertible {
  /// A number of seconds.
  static func seconds(_ s: Int) -> Self
  /// A number of seconds.
  static func seconds(_ s: Double) -> Self
  /// A number of milliseconds.
  static func milliseconds(_ ms: Int) -> Self
  /// A number of microseconds.
  static func microseconds(_ us: Int) -> Self
  /// A number of nanoseconds.
  static func nanoseconds(_ ns: Int) -> Self
}

/// Runs closures, now or later.
public protocol Scheduler<SchedulerTimeType> {
  /// A moment.
  associatedtype SchedulerTimeType: Strideable
  where SchedulerTimeType.Stride: SchedulerTimeIntervalConvertible
  /// Options of the scheduler.
  associatedtype SchedulerOptions

  /// The current moment.
  var now: SchedulerTimeType { get }
  /// The smallest tolerance.
  var minimumTolerance: SchedulerTimeType.Stride { get }

  /// Runs a closure soon.
  func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void)

  /// Runs a closure after a moment.
  func schedule(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?, _ action: @escaping () -> Void)
}

extension Scheduler {
  /// Runs a closure soon.
  public func schedule(_ action: @escaping () -> Void) { schedule(options: nil, action) }

  /// Runs a closure after a moment.
  public func schedule(after date: SchedulerTimeType, _ action: @escaping () -> Void) {
    schedule(after: date, tolerance: minimumTolerance, options: nil, action)
  }
}

/// A moment of a dispatch queue, a run loop or an operation queue, in nanoseconds of the monotonic clock.
public struct SchedulerTime: Strideable, Hashable, Sendable {
  /// A span of time.
  public struct Stride: SchedulerTimeIntervalConvertible, Comparable, Hashable, SignedNumeric,
    ExpressibleByFloatLiteral, Sendable
  {
    /// The number of nanoseconds.
    public var magnitude: Int

    /// Makes a span of nanoseconds.
    init(nanoseconds: Double) { magnitude = Int(max(-9e18, min(9e18, nanoseconds))) }

    /// Makes a span of seconds.
    public init(integerLiteral value: Int) { self.init(nanoseconds: Double(value) * 1e9) }

    /// Makes a span of seconds.
    public init(floatLiteral value: Double) { self.init(nanoseconds: value * 1e9) }

    /// Makes a span of seconds.
    public init?<T: BinaryInteger>(exactly source: T) {
      self.init(nanoseconds: Double(source) * 1e9)
    }

    /// A number of seconds.
    public static func seconds(_ s: Int) -> Stride { Stride(nanoseconds: Double(s) * 1e9) }
    /// A number of seconds.
    public static func seconds(_ s: Double) -> Stride { Stride(nanoseconds: s * 1e9) }
    /// A number of milliseconds.
    public static func milliseconds(_ ms: Int) -> Stride { Stride(nanoseconds: Double(ms) * 1e6) }
    /// A number of microseconds.
    public static func microseconds(_ us: Int) -> Stride { Stride(nanoseconds: Double(us) * 1e3) }
    /// A number of nanoseconds.
    public static func nanoseconds(_ ns: Int) -> Stride { Stride(nanoseconds: Double(ns)) }

    /// Whether the left span is shorter than the right span.
    public static func < (left: Stride, right: Stride) -> Bool { left.magnitude < right.magnitude }
    /// The sum.
    public static func + (left: Stride, right: Stride) -> Stride {
      Stride(nanoseconds: Double(left.magnitude) + Double(right.magnitude))
    }
    /// The difference.
    public static func - (left: Stride, right: Stride) -> Stride {
      Stride(nanoseconds: Double(left.magnitude) - Double(right.magnitude))
    }
    /// The product of the nanoseconds.
    public static func * (left: Stride, right: Stride) -> Stride {
      Stride(nanoseconds: Double(left.magnitude) * Double(right.magnitude))
    }
    /// Multiplies the nanoseconds.
    public static func *= (left: inout Stride, right: Stride) { left = left * right }
  }

  let nanoseconds: Int

  /// The current moment.
  static var now: SchedulerTime {
    SchedulerTime(nanoseconds: Int(clamping: DispatchTime.now().uptimeNanoseconds))
  }

  /// The moment for Dispatch.
  var dispatchTime: DispatchTime {
    DispatchTime(uptimeNanoseconds: UInt64(clamping: nanoseconds))
  }

  /// The span to another moment.
  public func distance(to other: SchedulerTime) -> Stride {
    .nanoseconds(other.nanoseconds - nanoseconds)
  }

  /// The moment after a span.
  public func advanced(by stride: Stride) -> SchedulerTime {
    SchedulerTime(nanoseconds: nanoseconds.addingReportingOverflow(stride.magnitude).partialValue)
  }
}

extension Scheduler where SchedulerTimeType == SchedulerTime {
  /// The current moment.
  public var now: SchedulerTime { .now }
  /// No tolerance.
  public var minimumTolerance: SchedulerTime.Stride { .nanoseconds(0) }
}

extension DispatchQueue: Scheduler {
  /// A moment.
  public typealias SchedulerTimeType = SchedulerTime

  /// The options of a scheduled closure. None has an effect.
  public struct SchedulerOptions: Sendable {
    /// Makes options.
    public init(
      qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [],
      group: DispatchGroup? = nil
    ) {}
  }

  /// Runs a closure on the queue.
  public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
    let action = SendableBox(action)
    async { action.value() }
  }

  /// Runs a closure on the queue after a moment.
  public func schedule(
    after date: SchedulerTime, tolerance: SchedulerTime.Stride, options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) {
    let action = SendableBox(action)
    asyncAfter(deadline: date.dispatchTime) { action.value() }
  }
}

extension RunLoop: Scheduler {
  /// A moment.
  public typealias SchedulerTimeType = SchedulerTime
  /// The options of a scheduled closure; none.
  public struct SchedulerOptions: Sendable {}

  /// Runs a closure in the run loop's next iteration.
  public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
    let action = SendableBox(action)
    perform { action.value() }
  }

  /// Runs a closure in the run loop after a moment.
  public func schedule(
    after date: SchedulerTime, tolerance: SchedulerTime.Stride, options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) {
    let action = SendableBox(action)
    let seconds: Double = Double(SchedulerTime.now.distance(to: date).magnitude) * 1e-9
    let timer = Timer(timeInterval: max(0, seconds), repeats: false) { _ in action.value() }
    add(timer, forMode: .common)
  }
}

extension OperationQueue: Scheduler {
  /// A moment.
  public typealias SchedulerTimeType = SchedulerTime
  /// The options of a scheduled closure; none.
  public struct SchedulerOptions: Sendable {}

  /// Runs a closure on the queue.
  public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
    let action = SendableBox(action)
    addOperation { action.value() }
  }

  /// Runs a closure on the queue after a moment.
  public func schedule(
    after date: SchedulerTime, tolerance: SchedulerTime.Stride, options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) {
    let action = SendableBox(action)
    DispatchQueue.global().asyncAfter(deadline: date.dispatchTime) { [self] in
      addOperation { action.value() }
    }
  }
}

/// Runs closures at once on the calling thread.
public struct ImmediateScheduler: Scheduler, Sendable {
  /// A moment.
  public typealias SchedulerTimeType = SchedulerTime
  /// No options.
  public typealias SchedulerOptions = Never
  /// The scheduler.
  public static let shared: ImmediateScheduler = ImmediateScheduler()

  /// Runs a closure.
  public func schedule(options: Never?, _ action: @escaping () -> Void) { action() }

  /// Runs a closure at once.
  public func schedule(
    after date: SchedulerTime, tolerance: SchedulerTime.Stride, options: Never?,
    _ action: @escaping () -> Void
  ) {
    action()
  }
}
