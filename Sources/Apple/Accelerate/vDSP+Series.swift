extension vDSP {
  /// The order of a sorted vector.
  public enum SortOrder: Int32, Sendable {
    case ascending = 1
    case descending = -1
  }

  /// The windows that vDSP makes. The windows are periodic. Their period is the number of elements.
  public enum WindowSequence: Sendable {
    /// Hann's window, scaled by √(8/3).
    case hanningNormalized
    case hanningDenormalized
    case hamming
    case blackman
  }

  /// Sets every element to 0.
  public static func clear<T: vDSP_FloatingPoint, V: AccelerateMutableBuffer<T>>(
    _ vector: inout V
  ) {
    withResult(&vector) { T._functions.vclr($0, 1, UInt($1)) }
  }

  /// Sets every element to a number.
  public static func fill<T: vDSP_FloatingPoint, V: AccelerateMutableBuffer<T>>(
    _ vector: inout V, with value: T
  ) {
    withResult(&vector) { output, count in
      withUnsafePointer(to: value) { T._functions.vfill($0, output, 1, UInt(count)) }
    }
  }

  /// Reverses the order of the elements.
  public static func reverse<T: vDSP_FloatingPoint, V: AccelerateMutableBuffer<T>>(
    _ vector: inout V
  ) {
    withResult(&vector) { T._functions.vrvrs($0, 1, UInt($1)) }
  }

  /// Sorts the elements.
  public static func sort<T: vDSP_FloatingPoint, V: AccelerateMutableBuffer<T>>(
    _ vector: inout V, sortOrder: SortOrder
  ) {
    withResult(&vector) { T._functions.vsort($0, UInt($1), sortOrder.rawValue) }
  }

  /// Returns `initialValue`, `initialValue + increment` and so on.
  public static func ramp<T: vDSP_FloatingPoint>(
    withInitialValue initialValue: T, increment: T, count: Int
  ) -> [T] {
    made(count: count) {
      formRamp(withInitialValue: initialValue, increment: increment, result: &$0)
    }
  }

  /// Writes `initialValue`, `initialValue + increment` and so on to `result`.
  public static func formRamp<T: vDSP_FloatingPoint, V: AccelerateMutableBuffer<T>>(
    withInitialValue initialValue: T, increment: T, result: inout V
  ) {
    withResult(&result) { output, count in
      withUnsafePointer(to: initialValue) { start in
        withUnsafePointer(to: increment) { T._functions.vramp(start, $0, output, 1, UInt(count)) }
      }
    }
  }

  /// Returns `count` numbers at equal distances, from the lower bound to the upper bound.
  public static func ramp<T: vDSP_FloatingPoint>(in range: ClosedRange<T>, count: Int) -> [T] {
    made(count: count) { formRamp(in: range, result: &$0) }
  }

  /// Writes numbers at equal distances, from the lower bound to the upper bound, to `result`.
  public static func formRamp<T: vDSP_FloatingPoint, V: AccelerateMutableBuffer<T>>(
    in range: ClosedRange<T>, result: inout V
  ) {
    let steps = T(max(result.count - 1, 1))
    let increment = (range.upperBound - range.lowerBound) / steps
    formRamp(withInitialValue: range.lowerBound, increment: increment, result: &result)
  }

  /// Returns a window.
  public static func window<T: vDSP_FloatingPoint>(
    ofType type: T.Type, usingSequence sequence: WindowSequence, count: Int, isHalfWindow: Bool
  ) -> [T] {
    var result = [T](repeating: 0, count: count)
    formWindow(usingSequence: sequence, result: &result, isHalfWindow: isHalfWindow)
    return result
  }

  /// Writes a window to `result`. For a half window, writes only the first (n + 1) / 2 elements.
  public static func formWindow<T: vDSP_FloatingPoint, V: AccelerateMutableBuffer<T>>(
    usingSequence sequence: WindowSequence, result: inout V, isHalfWindow: Bool
  ) {
    let half = isHalfWindow ? Int32(vDSP_HALF_WINDOW) : 0
    withResult(&result) { output, count in
      let functions = T._functions
      switch sequence {
      case .hanningNormalized:
        functions.hann_window(output, UInt(count), half | Int32(vDSP_HANN_NORM))
      case .hanningDenormalized: functions.hann_window(output, UInt(count), half)
      case .hamming: functions.hamm_window(output, UInt(count), half)
      case .blackman: functions.blkman_window(output, UInt(count), half)
      }
    }
  }
}
