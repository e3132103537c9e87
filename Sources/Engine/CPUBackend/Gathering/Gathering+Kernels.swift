import Backends
import Graph
import Operators

extension GatherOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    [
      .storedGather(self),
      batchAxes > 0
        ? .perBatch(axes: batchAxes, GatherOperator(axis: axis < 0 ? axis : axis - batchAxes))
          .following(rule, of: self)
        : KernelCandidate.gathering("native gather") { data, indices in
          let axis: Int = try data.axis(axis)
          return .axis(IndexedElements.elements(of: data, axis: axis, count: indices.count), axis)
        }.following(rule, of: self),
    ]
  }
}

extension GatherNDOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    [
      batchAxes > 0
        ? .perBatch(axes: batchAxes, GatherNDOperator()).following(rule, of: self)
        : KernelCandidate.gathering("native gather of slices") { data, indices in
          IndexedElements(try SliceIndices(data: data, indices: indices), of: data)
        }.following(rule, of: self)
    ]
  }
}

extension GatherAlongAxisOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    [
      KernelCandidate.gathering("native gather of elements") { data, indices in
        let axis: Int = try alongAxis(axis, data: data, indices: indices)
        return .alongAxis(
          IndexedElements.elements(of: data, axis: axis, count: indices[axis]), axis)
      }.following(rule, of: self)
    ]
  }
}

extension GatherGradientOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    [
      KernelCandidate.addingToZeros("native gather gradient", shape) { data, indices in
        let axis: Int = try data.axis(axis)
        return .axis(IndexedElements.elements(of: data, axis: axis, count: indices.count), axis)
      }.following(rule, of: self)
    ]
  }
}

extension ScatterOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    [
      KernelCandidate.scattering("native scatter", mode, overflow) { data, indices in
        let axis: Int = try data.axis(axis)
        return .axis(IndexedElements.elements(of: data, axis: axis, count: indices.count), axis)
      }.following(rule, of: self)
    ]
  }
}

extension ScatterNDOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    [
      KernelCandidate.scattering("native scatter of slices", mode, overflow) { data, indices in
        IndexedElements(try SliceIndices(data: data, indices: indices), of: data)
      }.following(rule, of: self)
    ]
  }
}

extension ScatterAlongAxisOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    [
      KernelCandidate.scattering("native scatter of elements", mode, overflow) { data, indices in
        let axis: Int = try alongAxis(axis, data: data, indices: indices)
        return .alongAxis(
          IndexedElements.elements(of: data, axis: axis, count: indices[axis]), axis)
      }.following(rule, of: self)
    ]
  }
}
