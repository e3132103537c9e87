import ModelFormat
import Operators

extension SliceStaticOperator: NeuralNetworkEncodable {
  public func encode(into encoder: inout LayerEncoder) throws {
    encoder.layer.layer = .sliceStatic(
      .making {
        $0.beginIds = slices.map { Int64($0.begin ?? 0) }
        $0.beginMasks = slices.map { $0.begin == nil }
        $0.endIds = slices.map { Int64($0.end ?? 0) }
        $0.endMasks = slices.map { $0.end == nil }
        $0.strides = slices.map { Int64($0.stride) }
        $0.squeezeMasks = slices.map(\.isSqueezed)
      })
  }
}

extension SliceDynamicOperator: NeuralNetworkEncodable {
  public func encode(into encoder: inout LayerEncoder) throws {
    encoder.layer.layer = .sliceDynamic(
      .making {
        $0.endIds = ends.map(Int64.init)
        $0.strides = strides.map(Int64.init)
        $0.beginMasks = beginMasks
        $0.endMasks = endMasks
        $0.squeezeMasks = squeezeMasks
      })
  }
}

extension SliceBySizeOperator: NeuralNetworkEncodable {
  public func encode(into encoder: inout LayerEncoder) throws {
    encoder.layer.layer = .sliceBySize(
      .making {
        $0.axis = Int64(axis)
        $0.size = Int64(size)
      })
  }
}

extension ReverseOperator: NeuralNetworkEncodable {
  public func encode(into encoder: inout LayerEncoder) throws {
    encoder.layer.layer = .reverse(.making { $0.reverseDim = isReversed })
  }
}

extension ReverseSeqOperator: NeuralNetworkEncodable {
  public func encode(into encoder: inout LayerEncoder) throws {
    encoder.layer.layer = .reverseSeq(
      .making {
        $0.batchAxis = Int64(batchAxis)
        $0.sequenceAxis = Int64(sequenceAxis)
      })
  }
}

extension SlidingWindowsOperator: NeuralNetworkEncodable {
  public func encode(into encoder: inout LayerEncoder) throws {
    let size: UInt64 = try encoder.size(windowSize, "windowSize")
    let interval: UInt64 = try encoder.size(step, "step")
    encoder.layer.layer = .slidingWindows(
      .making {
        $0.axis = Int64(axis)
        $0.windowSize = size
        $0.step = interval
      })
  }
}

extension ConstantPadOperator: NeuralNetworkEncodable {
  public func encode(into encoder: inout LayerEncoder) throws {
    let given: [UInt64] = try (amounts ?? []).map { try encoder.size($0, "padAmounts") }
    encoder.layer.layer = .constantPad(
      .making {
        $0.value = value
        $0.padAmounts = given
        $0.padToGivenOutputSizeMode = padsToSize
      })
  }
}

extension LowerTriangularOperator: NeuralNetworkEncodable {
  public func encode(into encoder: inout LayerEncoder) throws {
    encoder.layer.layer = .lowerTriangular(.making { $0.k = Int64(diagonal) })
  }
}

extension UpperTriangularOperator: NeuralNetworkEncodable {
  public func encode(into encoder: inout LayerEncoder) throws {
    encoder.layer.layer = .upperTriangular(.making { $0.k = Int64(diagonal) })
  }
}

extension MatrixBandPartOperator: NeuralNetworkEncodable {
  public func encode(into encoder: inout LayerEncoder) throws {
    encoder.layer.layer = .matrixBandPart(
      .making {
        $0.numLower = Int64(lower)
        $0.numUpper = Int64(upper)
      })
  }
}
