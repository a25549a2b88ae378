# SPDX-License-Identifier: Apache-2.0
# Modes with an interface of their own, as unit, golden, ct and bench use them. Each file here but
# messages.c defines message_mode_<its name>.

MESSAGE_NAMES := $(filter-out messages,$(patsubst test/messages/%.c,%,$(wildcard test/messages/*.c)))

$(B)/test/messages/messages.o: override CPPFLAGS += -D'MESSAGE_LIST(X)=$(foreach m,$(MESSAGE_NAMES),X($(m)))'

-include $(MESSAGE_OBJ:.o=.d)
