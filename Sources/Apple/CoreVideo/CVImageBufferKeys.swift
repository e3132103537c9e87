@_exported import CoreFoundation

// Attachments that say how the luma and chroma of a buffer are computed from red, green and blue. The values are those
// of Apple's framework.

/// The matrix between red, green, blue and luma, chroma. BT.601 if there is none.
public let kCVImageBufferYCbCrMatrixKey: CFString = "CVImageBufferYCbCrMatrix"

/// BT.709, for high definition.
public let kCVImageBufferYCbCrMatrix_ITU_R_709_2: CFString = "ITU_R_709_2"

/// BT.601, for standard definition.
public let kCVImageBufferYCbCrMatrix_ITU_R_601_4: CFString = "ITU_R_601_4"

/// BT.2020, for ultra high definition.
public let kCVImageBufferYCbCrMatrix_ITU_R_2020: CFString = "ITU_R_2020"

/// SMPTE 240M.
public let kCVImageBufferYCbCrMatrix_SMPTE_240M_1995: CFString = "SMPTE_240M_1995"

/// The primary colours. Not used here: colours are those of sRGB.
public let kCVImageBufferColorPrimariesKey: CFString = "CVImageBufferColorPrimaries"

/// The primary colours of BT.709 and sRGB.
public let kCVImageBufferColorPrimaries_ITU_R_709_2: CFString = "ITU_R_709_2"

/// The transfer function. Not used here.
public let kCVImageBufferTransferFunctionKey: CFString = "CVImageBufferTransferFunction"

/// The transfer function of BT.709.
public let kCVImageBufferTransferFunction_ITU_R_709_2: CFString = "ITU_R_709_2"

/// The transfer function of sRGB.
public let kCVImageBufferTransferFunction_sRGB: CFString = "IEC_sRGB"
