import CKernels
import Glibc

extension RegionSession {
  /// Runs a node on the rows of its first input.
  ///
  /// - Parameter released: the values that nobody reads after it.
  func runRows(
    _ position: Int, _ operation: any RowOperator, _ action: RowAction, released: [Int]
  ) throws {
    let node = graph.graph.nodes[position]
    let output: Int = node.outputs[0].index
    switch action {
    case .measure:
      let shape: Shape = try required(node, 0).form.shape
      let extents = try context.value(TensorDescriptor([shape.rank]))
      extents.write(ReferenceTensor([shape.rank], shape.dimensions.map(Double.init)))
      values[output] = extents
    case .read:
      values[output] = try taken(
        try required(node, 0), at: try required(node, 1), by: operation)
    case .write(let grows):
      let (indices, rows) = (try required(node, 1), try required(node, 2))
      var list: RunValue = try required(node, 0)
      // What nobody reads any more is written to where it lies.
      if released.contains(node.inputs[0].index) { values[node.inputs[0].index] = nil }
      values[output] = try written(rows, at: indices, to: &list, by: operation, grows: grows)
    }
  }

  private func required(_ node: Graph.Node, _ input: Int) throws -> RunValue {
    guard let value = try value(node.inputs[input].index) else {
      throw node.missing(graph.graph[node.inputs[input]].name)
    }
    return value
  }

  private func taken(_ list: RunValue, at indices: RunValue, by operation: any RowOperator) throws
    -> RunValue
  {
    let element = Shape(Array(list.form.shape.dimensions.dropFirst()))
    let made = try context.value(
      TensorDescriptor(
        try Shape.checked(indices.form.shape.dimensions + element.dimensions), list.form.storage))
    let size: Int = list.form.storage.byteCount(of: element.count)
    var target = made.pointer
    for index in indices.wholeNumbers {
      // Safe: the operator names a row that is there, and the output has one for each index.
      if let row = try operation.row(named: index, of: list.form.shape[0]) {
        target.copyMemory(from: list.pointer + row * size, byteCount: size)
      } else {
        memset(target, 0, size)
      }
      target += size
    }
    return made
  }

  private func written(
    _ rows: RunValue, at indices: RunValue, to list: inout RunValue, by operation: any RowOperator,
    grows: Bool
  ) throws -> RunValue {
    let length: Int = list.form.shape[0]
    var places: [Int] = []
    for index in indices.wholeNumbers {
      if let place = try operation.row(named: index, of: length) { places.append(place) }
    }
    let last: Int = max(length, (places.max() ?? 0) + 1)
    let form = list.form.with(last, along: 0)
    guard form.shape.isMeasurable else {
      throw EngineError(.outOfMemory, "a list of \(form.shape) is too large.")
    }
    let size: Int = list.form.byteCount / length
    let target: RunValue
    let isAfter: Bool = (places.min() ?? 0) >= length
    if isAfter || RunValue.isAlone(&list),
      let rest = list.memory(toGrowTo: form.byteCount)
    {
      memset(rest, 0, form.byteCount - list.form.byteCount)
      target = RunValue(form, viewing: list)
    } else {
      target = try room(for: form, grows: grows)
      target.pointer.copyMemory(from: list.pointer, byteCount: list.form.byteCount)
      memset(target.pointer + list.form.byteCount, 0, form.byteCount - list.form.byteCount)
    }
    // Safe: every place is below the target's length, and there is a row for each.
    if places.count == 1 {
      try rows.copyDense(to: target.pointer + places[0] * size)
    } else {
      let source = try rows.dense(context)
      for (position, place) in places.enumerated() {
        (target.pointer + place * size).copyMemory(
          from: source.pointer + position * size, byteCount: size)
      }
    }
    return target
  }

  /// Memory for a list, with room for as much again where it grows and there is memory.
  private func room(for form: TensorDescriptor, grows: Bool) throws -> RunValue {
    guard grows, let larger = GrowthBucket.holding(form.shape[0] + 1) else {
      return try context.value(form)
    }
    do {
      let capacity: Int = form.with(larger, along: 0).byteCount
      return try context.value(form, capacity: capacity)
    } catch let error as EngineError where error.code == .outOfMemory {
      return try context.value(form)
    }
  }
}

extension RunValue {
  /// The elements as whole numbers, rounded towards zero.
  fileprivate var wholeNumbers: [Int] {
    if form.shape.count == 1, let number { return [ReferenceTensor.integer(number)] }
    return values.integers
  }

  /// Copies the elements in row-major order, in the type in which they are.
  fileprivate func copyDense(to target: UnsafeMutableRawPointer) throws {
    if form.layout == .dense || form.isOrderFree {
      return target.copyMemory(from: pointer, byteCount: form.byteCount)
    }
    let extents = form.shape.dimensions.map(Int64.init)
    guard let type = form.storage.kernelType, extents.count <= 8 else {
      throw EngineError(.unsupported, "the elements are \(form), which cannot be copied.")
    }
    // Safe: both sides have the same extents, and strides that stay within their memory.
    let status = ck_copy(
      Int32(extents.count), extents, pointer, type, form.strides.map(Int64.init), target, type,
      form.shape.strides.map(Int64.init))
    guard status == 0 else {
      throw EngineError(.backend, "the elements, \(form), could not be copied.")
    }
  }

  /// The value in row-major order.
  fileprivate func dense(_ context: RunContext) throws -> RunValue {
    if form.layout == .dense || form.isOrderFree { return self }
    let made = try context.value(TensorDescriptor(form.shape, form.storage))
    try copyDense(to: made.pointer)
    return made
  }
}
