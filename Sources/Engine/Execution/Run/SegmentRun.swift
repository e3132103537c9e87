import Glibc

/// A planned segment in one session: its memory, and the memory of what it makes.
final class SegmentRun {
  let segment: PlannedSegment
  /// For a node that is planned when its inputs' values are known: its plans, the last used first.
  var ofValues: [SegmentRun] = []
  private let run: RunSession?
  /// Values that were made before, by their place among the run's external memory. What nobody holds any
  /// more is written again: turns of a loop take turns with two.
  private var made: [[RunValue]]
  /// The values that are constants of the plan, by the position among the outputs.
  private var constants: [Int: RunValue] = [:]
  /// What lies in the external memory during a run.
  private var held: [RunValue?]

  /// As many values are kept for one place: one that is read while the other one is written.
  private static let keptCount = 2

  init(_ segment: PlannedSegment) throws {
    self.segment = segment
    run = try segment.run.map { try RunSession($0) }
    let count: Int = segment.run?.externals.count ?? 0
    made = [[RunValue]](repeating: [], count: count)
    held = [RunValue?](repeating: nil, count: count)
    for (position, output) in segment.outputs.enumerated() {
      guard case .constant(let index) = output.location.place, let run else { continue }
      constants[position] = RunValue(output.location.form, constant: run.plan.constants[index])
    }
  }

  /// Computes: reads its inputs among the values and puts its outputs there. Values are not copied,
  /// unless one grows and its memory cannot hold what the segment was planned for.
  func run(_ values: inout [RunValue?], _ context: RunContext) throws {
    if case .join(let axis) = segment.kind { return try join(axis, &values, context) }
    guard let run else { preconditionFailure("a node that depends on values is planned with them") }
    defer { for position in held.indices { held[position] = nil } }
    var extent = 0
    for (position, input) in segment.inputs.enumerated() {
      var value = self.value(values, input)
      if let axis = input.axis {
        extent = value.form.shape[axis]
        if value.capacity < input.form.byteCount {
          value = try enlarged(value, input.form, at: position, context)
        }
      }
      held[position] = value
      run.give(value.pointer, at: position)
    }
    for output in segment.outputs {
      guard case .external(let place) = output.location.place, held[place] == nil else { continue }
      let value = try memory(
        for: output.location.form, at: place, isGrowing: output.axis != nil, context)
      held[place] = value
      run.give(value.pointer, at: place)
    }
    try run.run(context.limits)
    for (position, output) in segment.outputs.enumerated() {
      guard case .external(let place) = output.location.place, let value = held[place] else {
        values[output.value] = constants[position]
        continue
      }
      var form = output.location.form
      if let axis = output.axis {
        form = form.with(extent, along: axis)
        if place >= segment.inputs.count { value.use(form.byteCount) }
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

  /// Memory that nobody reads.
  private func memory(
    for form: TensorDescriptor, at place: Int, isGrowing: Bool, _ context: RunContext
  ) throws -> RunValue {
    for position in made[place].indices {
      if isKnownUniquelyReferenced(&made[place][position]), made[place][position].form == form {
        return made[place][position]
      }
    }
    let value = try context.value(form, capacity: isGrowing ? form.byteCount : 0)
    if made[place].count < Self.keptCount { made[place].append(value) }
    return value
  }

  /// A copy with room for more; nobody but the segment reads it.
  private func enlarged(
    _ value: RunValue, _ form: TensorDescriptor, at place: Int, _ context: RunContext
  ) throws -> RunValue {
    let copy = try memory(for: form, at: place, isGrowing: true, context)
    copy.pointer.copyMemory(from: value.pointer, byteCount: value.form.byteCount)
    copy.use(value.form.byteCount)
    return copy
  }

  /// Puts the inputs one after the other: after the first one where its memory has room, else into memory
  /// with room for as much again.
  private func join(_ axis: Int, _ values: inout [RunValue?], _ context: RunContext) throws {
    let parts = segment.inputs.map { value(values, $0) }
    let extent = parts.reduce(0) { $0 + $1.form.shape[axis] }
    let form = parts[0].form.with(extent, along: axis)
    let target: RunValue
    var rest: UnsafeMutableRawPointer
    if let free = parts[0].memory(toGrowTo: form.byteCount) {
      target = RunValue(form, viewing: parts[0])
      rest = free
    } else {
      target = try room(for: form, on: axis, context)
      target.pointer.copyMemory(from: parts[0].pointer, byteCount: parts[0].form.byteCount)
      rest = target.pointer + parts[0].form.byteCount
    }
    for part in parts.dropFirst() {
      rest.copyMemory(from: part.pointer, byteCount: part.form.byteCount)
      rest += part.form.byteCount
    }
    values[segment.outputs[0].value] = target
  }

  /// Memory for a tensor that will grow; for itself alone where there is no more.
  private func room(for form: TensorDescriptor, on axis: Int, _ context: RunContext) throws
    -> RunValue
  {
    let large = form.with(GrowthBucket.holding(form.shape[axis]) ?? 0, along: axis)
    do {
      return try context.value(form, capacity: large.byteCount)
    } catch let error as EngineError where error.code == .outOfMemory {
      return try context.value(form)
    }
  }

  /// Gives up memory that is kept for later, of values larger than this.
  func reclaim(above byteCount: Int) {
    for place in made.indices { made[place].removeAll { $0.capacity > byteCount } }
    for other in ofValues { other.reclaim(above: byteCount) }
  }
}
