/* The parameters of a page: a list of X(type, "its type there ", name), as members of a struct here
 * and as the text of `struct params` there. */
#pragma once

#define TESS_PARAM_MEMBER(type, there, name) type name;
#define TESS_PARAM_TEXT(type, there, name) "    " there #name ";\n"
