import CKernels
import Glibc

extension RegionSession {
  /// Runs a node that works on the rows of its first input.
  ///
  /// - Parameter released: The values that no later node reads.
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
      // If no later node reads the list, rows are written in place.
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
    for index in indices.integers {
      // Safe: the operator checked that the row exists, and the output has one row per index.
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
    var rowIndices: [Int] = []
    for index in indices.integers {
      if let rowIndex = try operation.row(named: index, of: length) { rowIndices.append(rowIndex) }
    }
    let last: Int = max(length, (rowIndices.max() ?? 0) + 1)
    let form = list.form.with(last, along: 0)
    guard form.shape.isMeasurable else {
      throw EngineError(.outOfMemory, "a list of \(form.shape) is too large.")
    }
    let size: Int = list.form.byteCount / length
    let target: RunValue
    let isAfter: Bool = (rowIndices.min() ?? 0) >= length
    if isAfter || RunValue.isAlone(&list),
      let rest = list.memory(extendingTo: form.byteCount)
    {
      memset(rest, 0, form.byteCount - list.form.byteCount)
      target = RunValue(form, viewing: list)
    } else {
      target = try reserveMemory(for: form, grows: grows)
      target.pointer.copyMemory(from: list.pointer, byteCount: list.form.byteCount)
      memset(target.pointer + list.form.byteCount, 0, form.byteCount - list.form.byteCount)
    }
    // Safe: every row index is below the target's length, and `rows` has a row for each index.
    if rowIndices.count == 1 {
      try rows.copyDense(to: target.pointer + rowIndices[0] * size)
    } else {
      let source = try rows.dense(context)
      for (position, rowIndex) in rowIndices.enumerated() {
        (target.pointer + rowIndex * size).copyMemory(
          from: source.pointer + position * size, byteCount: size)
      }
    }
    return target
  }

  /// Allocates memory for a list, a tensor to which nodes append rows. If the list grows, the memory has space for the
  /// next power of two above the list's number of rows. If free memory is too short for this, the memory has space for
  /// the list's own rows only.
  private func reserveMemory(for form: TensorDescriptor, grows: Bool) throws -> RunValue {
    guard grows, let larger = LengthBucket.holding(form.shape[0] + 1) else {
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
  /// The elements as integers, rounded towards zero.
  fileprivate var integers: [Int] {
    if form.shape.count == 1, let number { return [ReferenceTensor.integer(number)] }
    return values.integers
  }

  /// Copies the elements to the target in row-major order, without converting their type.
  fileprivate func copyDense(to target: UnsafeMutableRawPointer) throws {
    if form.layout == .dense || form.isOrderFree {
      return target.copyMemory(from: pointer, byteCount: form.byteCount)
    }
    let extents = form.shape.dimensions.map(Int64.init)
    guard let type = form.storage.kernelType, extents.count <= 8 else {
      throw EngineError(.unsupported, "the elements are \(form), and no kernel copies this form.")
    }
    // Safe: both sides have the same extents, and strides that stay within their memory.
    let status = ck_copy(
      Int32(extents.count), extents, pointer, type, form.strides.map(Int64.init), target, type,
      form.shape.strides.map(Int64.init))
    guard status == 0 else {
      throw EngineError(.backend, "the elements, \(form), could not be copied.")
    }
  }

  /// Returns the value in row-major order. Returns the value itself if it is in that order already.
  fileprivate func dense(_ context: RunContext) throws -> RunValue {
    if form.layout == .dense || form.isOrderFree { return self }
    let made = try context.value(TensorDescriptor(form.shape, form.storage))
    try copyDense(to: made.pointer)
    return made
  }
}
