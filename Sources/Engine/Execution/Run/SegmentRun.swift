import Glibc

/// A planned segment in one session: its memory, and the memory of its outputs.
final class SegmentRun {
  let segment: PlannedSegment
  /// For a node that is planned when the values of its inputs are known: the plans made so far, the most recently used
  /// first.
  var ofValues: [SegmentRun] = []
  private let run: RunSession?
  /// Outputs of earlier runs, by position among the run's external memories. A run overwrites an output to which
  /// nothing refers. The iterations of a loop thus alternate between two values.
  private var made: [[RunValue]]
  /// The outputs that are constants of the plan, by their position among the segment's outputs.
  private var constants: [Int: RunValue] = [:]
  /// The external memories during a run.
  private var externals: [RunValue?]

  /// The number of cached outputs per position. One output is read while the other is written.
  private static let cachedCount = 2

  init(_ segment: PlannedSegment) throws {
    self.segment = segment
    run = try segment.run.map { try RunSession($0) }
    let count: Int = segment.run?.externals.count ?? 0
    made = [[RunValue]](repeating: [], count: count)
    externals = [RunValue?](repeating: nil, count: count)
    for (position, output) in segment.outputs.enumerated() {
      guard case .constant(let index) = output.location.place, let run else { continue }
      constants[position] = RunValue(output.location.form, constant: run.plan.constants[index])
    }
  }

  /// Reads the segment's inputs from `values` and stores the outputs there. Copies an input only if its dynamic axis
  /// makes its memory smaller than the planned form.
  func run(_ values: inout [RunValue?], _ context: RunContext) throws {
    if case .join(let axis) = segment.kind { return try join(axis, &values, context) }
    guard let run else { preconditionFailure("a node that depends on values is planned with them") }
    defer { for position in externals.indices { externals[position] = nil } }
    var extent = 0
    for (position, input) in segment.inputs.enumerated() {
      var value = self.value(values, input)
      if let axis = input.axis {
        extent = value.form.shape[axis]
        if value.capacity < input.form.byteCount {
          value = try enlarged(value, input.form, at: position, context)
        }
      }
      externals[position] = value
      run.give(value.pointer, at: position)
    }
    for output in segment.outputs {
      guard case .external(let slot) = output.location.place, externals[slot] == nil else {
        continue
      }
      let value = try memory(
        for: output.location.form, at: slot, isDynamic: output.axis != nil, context)
      externals[slot] = value
      run.give(value.pointer, at: slot)
    }
    try run.run(context.limits)
    for (position, output) in segment.outputs.enumerated() {
      guard case .external(let slot) = output.location.place, let value = externals[slot] else {
        values[output.value] = constants[position]
        continue
      }
      var form = output.location.form
      if let axis = output.axis {
        form = form.with(extent, along: axis)
        if slot >= segment.inputs.count { value.use(form.byteCount) }
      }
      values[output.value] = value.form == form ? value : RunValue(form, viewing: value)
    }
  }

  private func value(_ values: [RunValue?], _ input: PlannedSegment.Input) -> RunValue {
    guard let value = values[input.value] else {
      preconditionFailure("a segment runs only where its inputs exist")
    }
    return value
  }

  /// Returns memory that nothing else reads.
  private func memory(
    for form: TensorDescriptor, at slot: Int, isDynamic: Bool, _ context: RunContext
  ) throws -> RunValue {
    for position in made[slot].indices {
      if isKnownUniquelyReferenced(&made[slot][position]), made[slot][position].form == form {
        return made[slot][position]
      }
    }
    let value = try context.value(form, capacity: isDynamic ? form.byteCount : 0)
    if made[slot].count < Self.cachedCount { made[slot].append(value) }
    return value
  }

  /// Returns a copy with more capacity. Only this segment reads the copy.
  private func enlarged(
    _ value: RunValue, _ form: TensorDescriptor, at slot: Int, _ context: RunContext
  ) throws -> RunValue {
    let copy = try memory(for: form, at: slot, isDynamic: true, context)
    copy.pointer.copyMemory(from: value.pointer, byteCount: value.form.byteCount)
    copy.use(value.form.byteCount)
    return copy
  }

  /// Concatenates the inputs. If the memory of the first input has enough free capacity after that input, appends the
  /// other inputs there. Otherwise copies all inputs to new memory, whose capacity is the length rounded up to a power
  /// of two.
  private func join(_ axis: Int, _ values: inout [RunValue?], _ context: RunContext) throws {
    let parts = segment.inputs.map { value(values, $0) }
    let extent = parts.reduce(0) { $0 + $1.form.shape[axis] }
    let form = parts[0].form.with(extent, along: axis)
    let target: RunValue
    var rest: UnsafeMutableRawPointer
    if let free = parts[0].memory(extendingTo: form.byteCount) {
      target = RunValue(form, viewing: parts[0])
      rest = free
    } else {
      target = try reserveMemory(for: form, on: axis, context)
      target.pointer.copyMemory(from: parts[0].pointer, byteCount: parts[0].form.byteCount)
      rest = target.pointer + parts[0].form.byteCount
    }
    for part in parts.dropFirst() {
      rest.copyMemory(from: part.pointer, byteCount: part.form.byteCount)
      rest += part.form.byteCount
    }
    values[segment.outputs[0].value] = target
  }

  /// Allocates memory for a tensor that will get longer. Its capacity is the tensor's length rounded up to a power of
  /// two. If free memory is too short for this capacity, allocates the tensor's own size only.
  private func reserveMemory(for form: TensorDescriptor, on axis: Int, _ context: RunContext) throws
    -> RunValue
  {
    let large = form.with(LengthBucket.holding(form.shape[axis]) ?? 0, along: axis)
    do {
      return try context.value(form, capacity: large.byteCount)
    } catch let error as EngineError where error.code == .outOfMemory {
      return try context.value(form)
    }
  }

  /// Frees the cached memory of values larger than this size in bytes.
  func reclaim(above byteCount: Int) {
    for slot in made.indices { made[slot].removeAll { $0.capacity > byteCount } }
    for other in ofValues { other.reclaim(above: byteCount) }
  }
}
